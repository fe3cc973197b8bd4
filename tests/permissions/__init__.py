"""Who may do what: the people, the study they look at, and a row for each address, method and state."""
