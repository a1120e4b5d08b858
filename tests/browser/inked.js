// Which words of a page's pictures are too faint to be read: for each the contrast with what is behind it, if below 4.5.
(root) => {
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = (channels) => {
    const [r, g, b] = channels.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = (top, alpha, below) => top.map((c, at) => c * alpha + below[at] * (1 - alpha));
  const opacityOf = (node) => (node instanceof Element ? Number(getComputedStyle(node).opacity) * opacityOf(node.parentNode) : 1);
  const faint = [];
  for (const svg of root.querySelectorAll("svg.gr")) {
    const shapes = [...svg.querySelectorAll("rect, .level")].map((shape) => [shape, shape.getBoundingClientRect()]);
    for (const text of svg.querySelectorAll("text")) {
      if (!text.textContent.trim()) continue;
      const box = text.getBoundingClientRect();
      const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
      let behind = numbers(getComputedStyle(document.body).backgroundColor).slice(0, 3);
      for (const [shape, hit] of shapes) {
        if (x < hit.left || x > hit.right || y < hit.top || y > hit.bottom) continue;
        if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
        const look = getComputedStyle(shape);
        if (look.fill === "none") continue;
        const [r, g, b, alpha = 1] = numbers(look.fill);
        behind = over([r, g, b], alpha * Number(look.fillOpacity) * opacityOf(shape), behind);
      }
      const look = getComputedStyle(text);
      const ink = over(numbers(look.fill).slice(0, 3), Number(look.fillOpacity) * opacityOf(text), behind);
      const [low, high] = [luminance(ink), luminance(behind)].sort((a, b) => a - b);
      const contrast = (high + 0.05) / (low + 0.05);
      if (contrast < 4.5) faint.push(`${text.textContent}: ${contrast.toFixed(2)}`);
    }
  }
  return faint;
}
