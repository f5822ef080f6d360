import { baseUrl, localKey } from "./environment.js";
// Before the viewer, which reads it as it starts.
import "./storage.js";
// Sets `window.Scalar`.
import "./viewer.js";

const { apiKey = "" } = (await localKey()) ?? {};

// The page stands beside the API that it describes: what is tried from it goes to the same environment.
window.Scalar.createApiReference("#reference", {
  url: `${baseUrl}/openapi.json`,
  servers: [{ url: baseUrl, description: "This environment" }],
  // On the local stack a first call succeeds as it stands.
  authentication: { preferredSecurityScheme: "ApiKey", securitySchemes: { ApiKey: { value: apiKey } } },
  // The description has its own samples, in the languages of the guides.
  hiddenClients: true,
  defaultOpenAllTags: true,
  theme: "default",
  // Light or dark is what the browser says, here as on the other pages.
  hideDarkModeToggle: true,
  documentDownloadType: "json",
  // They are shown where they are used.
  hideModels: true,
  // Nothing may be asked of anybody else: no fonts, no measuring, no proxy, no assistant.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  persistAuth: false,
});

/**
 * What the viewer gets wrong, mostly for those who cannot see the page: elements, and what their attributes should be.
 */
const corrections = [
  // Where the page's skip link leads: past the viewer's own list too.
  ["main.references-rendered:not(#content)", { id: "content", tabindex: "-1" }],
  [".scalar-password-input:not([placeholder^=rr_])", { placeholder: "rr_… from the platform team" }],
  [".code-input-lite__editor:not([aria-expanded])", { "aria-expanded": "false" }],
  [".code-input-lite__editor:not([aria-label])", { "aria-label": "Value" }],
  [".cm-content:not([aria-label])", { "aria-label": "Body" }],
  [".group\\/copy-button:not([aria-label])", { "aria-label": "Copy" }],
  [".group\\/copy-button[aria-controls]", { "aria-controls": null }],
  ["button[role=none]", { role: null }],
  [".response-card[role=region]", { role: "group" }],
];

function correct() {
  for (const [selector, attributes] of corrections) {
    for (const element of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        if (value === null) element.removeAttribute(name);
        else element.setAttribute(name, value);
      }
    }
  }
}

new MutationObserver(correct).observe(document.body, { childList: true, subtree: true });
