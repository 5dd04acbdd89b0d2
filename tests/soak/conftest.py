"""What takes minutes is collected only by `make soak` (EVENHAND_SOAK=1)."""

import os

collect_ignore_glob = [] if os.environ.get("EVENHAND_SOAK") else ["test_*.py"]
