"""Tables and charts, a folder a section; `registry` lists them."""
