"""How far raters agree with each other and with themselves."""
