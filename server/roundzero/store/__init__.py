"""What outlives a run: trust of the user, choices per branch. One file per database; none imports another."""
