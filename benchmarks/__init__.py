"""evenhand held against its own targets and, where one is installed, against a peer, side by side in one run."""
