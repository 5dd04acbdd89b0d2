"""Labels of annotation tools, in and out."""
