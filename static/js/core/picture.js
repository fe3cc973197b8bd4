// A plot to take away as PNG: the browser paints the SVG file, which is of our own origin, and saves what it painted.

const SHARPER = 2;

/** Paint the drawing at an address and return it as a PNG. */
export async function paint(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * SHARPER;
  canvas.height = image.naturalHeight * SHARPER;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export function start(root = document) {
  for (const place of root.querySelectorAll("[data-picture]")) {
    const button = place.querySelector("[data-picture-button]");
    button.hidden = false;
    button.addEventListener("click", async () => {
      save(await paint(place.dataset.picture), `${place.dataset.pictureName}.png`);
    });
  }
}
