"""Arabic: Western digits with a decimal point, as CLDR has it for the language without a country."""

DATE_FORMAT = "j F Y"
DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
