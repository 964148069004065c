"""Pictures of a rig: rendered as a camera would take them, and read from folders."""
