// Loaded after htmx in the researchers' frame. htmx would insert a style sheet of its own into every page, which the
// content security policy refuses; nothing here uses the classes it is about.
window.htmx.config.includeIndicatorStyles = false;
