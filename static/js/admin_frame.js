// Loaded after htmx and before Alpine starts on every page of the researchers' frame, sign-in included. Both would write
// inline styles, which the content security policy refuses.

// htmx: a style sheet inserted into every page, about classes that nothing here uses.
window.htmx.config.includeIndicatorStyles = false;

// Alpine: a style bound as a string becomes an attribute; bound as an object it is set property by property, which is
// allowed. Unfold binds the width of the bar of actions under a list as a string.
document.addEventListener("alpine:init", () => {
  const bar = document.getElementById("changelist-actions");
  bar?.setAttribute("x-bind:style", "{ width: changeListWidth + 'px' }");
});
