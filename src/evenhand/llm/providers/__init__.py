"""From ``provider:name`` to a chat: addresses, keys, families."""
