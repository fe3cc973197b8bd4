/* The page to try the API: Swagger UI on our schema. A pasted token stays in this page's memory. */

const place = document.getElementById("api");

window.SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  presets: [window.SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  // Its online check would send the schema to somebody else.
  validatorUrl: null,
});
