// Writes small glTF files: boxes and spheres, one node a body, under a root that turns z up to y up.

function boxMesh([a, b, c]) {
  const positions = [],
    normals = [],
    indices = [];
  for (let axis = 0; axis < 3; ++axis)
    for (const sign of [-1, 1]) {
      const first = positions.length / 3,
        u = (axis + 1) % 3,
        v = (axis + 2) % 3,
        half = [a / 2, b / 2, c / 2];
      for (const [s, t] of [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ]) {
        const p = [0, 0, 0],
          n = [0, 0, 0];
        p[axis] = sign * half[axis];
        p[u] = s * half[u];
        p[v] = t * half[v];
        n[axis] = sign;
        positions.push(...p);
        normals.push(...n);
      }
      indices.push(...(sign > 0 ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2]).map((i) => first + i));
    }
  return {positions, normals, indices};
}

function sphereMesh(radius) {
  const positions = [],
    normals = [],
    indices = [],
    AROUND = 24,
    RINGS = 12;
  for (let i = 0; i <= RINGS; ++i)
    for (let j = 0; j <= AROUND; ++j) {
      const theta = (Math.PI * i) / RINGS,
        phi = (2 * Math.PI * j) / AROUND;
      const n = [Math.sin(theta) * Math.cos(phi), Math.sin(theta) * Math.sin(phi), Math.cos(theta)];
      normals.push(...n);
      positions.push(...n.map((x) => x * radius));
    }
  for (let i = 0; i < RINGS; ++i)
    for (let j = 0; j < AROUND; ++j) {
      const a = i * (AROUND + 1) + j,
        b = a + AROUND + 1;
      indices.push(a, b, a + 1, b, b + 1, a + 1);
    }
  return {positions, normals, indices};
}

/**
 * bodies: [{name, position, quaternion: [w, x, y, z], box: [x, y, z] | sphere: radius, at: [x, y, z],
 * color: [r, g, b]}]. Node 0 is the root, body i has node 1 + 2 i, its shape the node after it.
 */
export function writeGlb(bodies) {
  const chunks = [],
    views = [],
    accessors = [],
    meshes = [],
    materials = [],
    nodes = [{name: "up", children: []}];
  let length = 0;
  const addView = (array, componentType, type, count, bounds = {}) => {
    const bytes = Buffer.from(array.buffer);
    views.push({buffer: 0, byteOffset: length, byteLength: bytes.length});
    accessors.push({bufferView: views.length - 1, componentType, type, count, ...bounds});
    chunks.push(bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4));
    length += Math.ceil(bytes.length / 4) * 4;
    return accessors.length - 1;
  };
  const half = Math.SQRT1_2;
  nodes[0].rotation = [-half, 0, 0, half];
  const accessorsOf = new Map(); // by shape, so that equal shapes share them
  const addShape = (body) => {
    const key = JSON.stringify([body.box, body.sphere]);
    if (accessorsOf.has(key)) return accessorsOf.get(key);
    const mesh = body.box ? boxMesh(body.box) : sphereMesh(body.sphere),
      count = mesh.positions.length / 3;
    const lo = [0, 1, 2].map((i) => Math.min(...mesh.positions.filter((_, n) => n % 3 === i)));
    const hi = [0, 1, 2].map((i) => Math.max(...mesh.positions.filter((_, n) => n % 3 === i)));
    const made = {
      POSITION: addView(new Float32Array(mesh.positions), 5126, "VEC3", count, {
        min: lo.map(Math.fround),
        max: hi.map(Math.fround),
      }),
      NORMAL: addView(new Float32Array(mesh.normals), 5126, "VEC3", count),
      indices: addView(new Uint16Array(mesh.indices), 5123, "SCALAR", mesh.indices.length),
    };
    accessorsOf.set(key, made);
    return made;
  };
  for (const body of bodies) {
    const {indices, ...attributes} = addShape(body);
    materials.push({pbrMetallicRoughness: {baseColorFactor: [...body.color, 1], metallicFactor: 0}});
    meshes.push({primitives: [{attributes, indices, material: materials.length - 1}]});
    const [w, x, y, z] = body.quaternion;
    nodes[0].children.push(nodes.length);
    nodes.push({
      name: body.name,
      translation: body.position,
      rotation: [x, y, z, w],
      children: [nodes.length + 1],
    });
    nodes.push({mesh: meshes.length - 1, translation: body.at ?? [0, 0, 0]});
  }
  const json = {
    asset: {version: "2.0"},
    scene: 0,
    scenes: [{nodes: [0]}],
    nodes,
    meshes,
    materials,
    accessors,
    bufferViews: views,
    buffers: [{byteLength: length}],
  };
  let text = JSON.stringify(json);
  text += " ".repeat((4 - (Buffer.byteLength(text) % 4)) % 4);
  const head = Buffer.alloc(20),
    second = Buffer.alloc(8),
    size = Buffer.byteLength(text);
  head.write("glTF", 0);
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(28 + size + length, 8);
  head.writeUInt32LE(size, 12);
  head.write("JSON", 16);
  second.writeUInt32LE(length, 0);
  second.write("BIN\0", 4);
  return Buffer.concat([head, Buffer.from(text), second, ...chunks]);
}
