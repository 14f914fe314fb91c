// A question that must be answered before anything happens.
//
//   await confirmed(title, about, yes, no)    whether it was a yes

import { button, element } from "./dom.js";

export function confirmed(title, about, yes, no = "Go on playing") {
  return new Promise((resolve) => {
    const made = element("dialog", "ask"), heading = element("h2", "", title), foot = element("div", "row-end");
    heading.id = "question-title";
    made.setAttribute("aria-labelledby", heading.id);
    const stay = button("", no, () => made.close());
    foot.append(stay, button("danger", yes, () => made.close("yes")));
    const words = element("p", "", about);
    words.id = "question-about";
    made.setAttribute("aria-describedby", words.id);
    made.append(heading, words, foot);
    made.addEventListener("close", () => {
      made.remove();
      resolve(made.returnValue === "yes");
    });
    document.body.append(made);
    made.showModal();
    stay.focus();
  });
}
