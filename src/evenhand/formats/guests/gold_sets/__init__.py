"""Gold sets of other tools, a module each: ``read`` takes a file in, ``write`` writes one."""
