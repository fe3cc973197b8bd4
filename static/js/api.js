// The page to try the API: Swagger UI on our schema. A pasted token stays in the memory of this page.

const place = document.getElementById("api");

// What Swagger UI leaves without a name, a landmark or a way for the keyboard.
const MISSING = [
  ["select:not([aria-label])", { "aria-label": place.dataset.choice }],
  ["textarea:not([aria-label])", { "aria-label": place.dataset.body }],
  ["pre:not([tabindex])", { tabindex: "0" }],
  [".information-container:not([role])", { role: "banner" }],
  // It goes from the first level of headings to the third.
  ["h3:not([aria-level])", { role: "heading", "aria-level": "2" }],
  ["h4:not([aria-level])", { role: "heading", "aria-level": "3" }],
  ["h5:not([aria-level])", { role: "heading", "aria-level": "4" }],
];

function complete() {
  for (const [selector, attributes] of MISSING) {
    for (const element of place.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        element.setAttribute(name, value);
      }
    }
  }
}

new MutationObserver(complete).observe(place, { childList: true, subtree: true });

globalThis.SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  presets: [globalThis.SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  // Its colours can hardly be read.
  syntaxHighlight: { activated: false },
  persistAuthorization: false,
  // Its online check would send the schema to somebody else.
  validatorUrl: null,
});
