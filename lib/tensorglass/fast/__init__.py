"""Every shortcut. The root installs them by one call; without them everything is still right, only slower."""
