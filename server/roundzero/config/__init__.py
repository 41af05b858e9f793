"""Settings: the one table (table.py), and how it is filled (loading.py)."""

from roundzero.config.loading import REPOSITORY_FILE, load, user_file
from roundzero.config.table import SETTINGS, Kind, Setting, Settings, Who

__all__ = ["REPOSITORY_FILE", "SETTINGS", "Kind", "Setting", "Settings", "Who", "load", "user_file"]
