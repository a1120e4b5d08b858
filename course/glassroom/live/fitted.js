// A live form in the width that there is: pictures are drawn twice, for a page and for a phone.

const NARROW = 640; // pixels; a picture for a page is up to 780 wide

/**
 * A form that is drawn with `narrow`, what differs in a narrow place, as long as its place is one, and anew when that changes.
 */
export function fitted(render) {
  return ({ model, el }) => {
    const narrow = model.get("narrow");
    if (!Object.keys(narrow).length) return render({ model, el }); // it fits as it is
    let isNarrow = null;
    const look = () => {
      if (!el.clientWidth && isNarrow !== null) return; // it is out of sight
      const now = el.clientWidth > 0 && el.clientWidth < NARROW;
      if (now === isNarrow) return;
      isNarrow = now;
      render({ el, model: { get: (name) => (now && Object.hasOwn(narrow, name) ? narrow[name] : model.get(name)) } });
    };
    look();
    new ResizeObserver(look).observe(el);
    return undefined;
  };
}
