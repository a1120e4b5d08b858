// A live form in the width that there is: pictures are drawn for a page, for half a window and for a phone.

const PAGE = 640, WIDEST = 780; // pixels; a picture for a page is up to so wide

/** Whether something in a form is wider than its place, and scrolls or is cut off. */
function overflows(el) {
  const near = [el, ...el.children, ...[...el.children].flatMap((child) => [...child.children])];
  return near.some((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1);
}

/**
 * A form that is drawn with what `narrow` has for the width of its place, where that is less than a page's, and anew when
 * that changes.
 */
export function fitted(render) {
  return ({ model, el }) => {
    const widths = Object.entries(model.get("narrow")).sort(([one], [other]) => other - one);
    if (!widths.length) return render({ model, el }); // it fits as it is
    const phone = widths.at(-1);
    let drawn = null; // what differs from the form for a page
    let tooSmall = 0; // the widest place that the form for a page did not fit into
    const look = () => {
      const room = el.clientWidth;
      if (!room && drawn !== null) return; // it is out of sight
      const isPage = !room || (room >= PAGE && room > tooSmall);
      const differs = isPage ? {} : (widths.find(([width]) => width <= room) ?? phone)[1];
      const isSame = drawn !== null && !Object.keys(drawn).length && !Object.keys(differs).length;
      if (drawn === differs || isSame) return;
      drawn = differs;
      render({ el, model: { get: (name) => (Object.hasOwn(differs, name) ? differs[name] : model.get(name)) } });
      if (isPage && room && room < WIDEST && overflows(el)) {
        tooSmall = room;
        look();
      }
    };
    look();
    new ResizeObserver(look).observe(el);
    return undefined;
  };
}
