// Draws instances of shapes with light, a soft shadow on the ground and translucent ghosts, by WebGL2.

import { product4, unit } from "./linear.js";
import { unitShapes } from "./shapes.js";

/** @typedef {import("./shapes.js").Mesh} Mesh */
/** @typedef {import("./camera.js").Camera} Camera */
/** @typedef {{ shape: string, frame: import("./linear.js").Numbers, size: number[], colour: number[], half?: number[] }} Instance
 * A shape stretched by size (x, y, z), placed by a frame [R | p] of the world; colour: red, green, blue, opacity; half of the extent of a part. */
/** @typedef {{ background: number[], ground: number[], grid: number[], shadow: number }} Theme */
/** @typedef {((renderer: WebglRenderer | import("./canvas_renderer.js").CanvasRenderer) => void) | null} Overlay draws what else is to be seen */
/** @typedef {{ height: number, radius: number, middle: number[] }} Ground the plane z = height, and the sphere of the scene */

const FLOATS = 16;
const SHADOW_PIXELS = 1024;
export const LIGHT = unit([-0.35, -0.5, 1.0]);

const PART_VERTEX = `#version 300 es
layout(location=0) in vec3 position;
layout(location=1) in vec3 normal;
layout(location=2) in vec4 row0;
layout(location=3) in vec4 row1;
layout(location=4) in vec4 row2;
layout(location=5) in vec4 colour;
uniform mat4 camera;
out vec3 world;
out vec3 across;
out vec4 paint;
void main() {
  mat3 M = transpose(mat3(row0.xyz, row1.xyz, row2.xyz));
  world = M * position + vec3(row0.w, row1.w, row2.w);
  across = M * (normal / vec3(dot(M[0], M[0]), dot(M[1], M[1]), dot(M[2], M[2])));
  paint = colour;
  gl_Position = camera * vec4(world, 1.0);
}`;

const PART_FRAGMENT = `#version 300 es
precision highp float;
in vec3 world;
in vec3 across;
in vec4 paint;
uniform vec3 eye;
uniform vec3 light;
out vec4 result;
void main() {
  vec3 n = normalize(across);
  vec3 v = normalize(eye - world);
  if (dot(n, v) < 0.0) n = -n;
  float lit = max(dot(n, light), 0.0);
  float sky = 0.5 + 0.5 * n.z;
  float shine = pow(max(dot(n, normalize(light + v)), 0.0), 40.0);
  float rim = pow(1.0 - max(dot(n, v), 0.0), 3.0);
  vec3 c = paint.rgb * (0.30 + 0.24 * sky + 0.55 * lit) + vec3(0.16 * shine) + paint.rgb * 0.12 * rim;
  result = vec4(c * paint.a, paint.a);
}`;

const DEPTH_FRAGMENT = `#version 300 es
precision highp float;
in vec4 paint;
void main() {}`;

const GROUND_VERTEX = `#version 300 es
uniform mat4 camera;
uniform vec4 place;
out vec3 world;
void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  world = vec3(place.xy + corner * place.w, place.z);
  gl_Position = camera * vec4(world, 1.0);
}`;

const GROUND_FRAGMENT = `#version 300 es
precision highp float;
in vec3 world;
uniform vec4 place;
uniform mat4 sun;
uniform highp sampler2DShadow shade;
uniform vec4 ground;
uniform vec3 grid;
uniform float spacing;
out vec4 result;
float line(vec2 p) {
  vec2 d = abs(fract(p - 0.5) - 0.5) / fwidth(p);
  return 1.0 - min(min(d.x, d.y), 1.0);
}
void main() {
  float far = length(world.xy - place.xy) / place.w;
  float fade = 1.0 - smoothstep(0.25, 1.0, far);
  vec4 s = sun * vec4(world, 1.0);
  vec3 at = s.xyz * 0.5 + 0.5;
  float lit = 0.0;
  for (int i = 0; i < 16; i++) {
    float turn = 2.4 * float(i);
    vec2 off = sqrt(float(i) + 0.5) / 4.0 * vec2(cos(turn), sin(turn)) * 0.0065;
    lit += texture(shade, vec3(at.xy + off, at.z - 0.002));
  }
  float dark = (1.0 - lit / 16.0) * ground.a;
  float drawn = max(line(world.xy / spacing) * 0.55, line(world.xy / (5.0 * spacing)));
  vec3 c = mix(ground.rgb, grid, drawn * 0.8);
  c *= 1.0 - dark;
  result = vec4(c * fade, fade);
}`;

export class WebglRenderer {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: true, premultipliedAlpha: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("no WebGL2");
    this.gl = gl;
    this.canvas = canvas;
    this.parts = program(gl, PART_VERTEX, PART_FRAGMENT);
    this.depth = program(gl, PART_VERTEX, DEPTH_FRAGMENT);
    this.ground = program(gl, GROUND_VERTEX, GROUND_FRAGMENT);
    this.shadow = shadowTarget(gl);
    this.empty = gl.createVertexArray();
    /** @type {Map<string, UploadedMesh>} */
    this.meshes = new Map();
    for (const [name, mesh] of Object.entries(unitShapes())) this.addShape(name, mesh);
  }

  /** @param {string} name @param {Mesh} mesh */
  addShape(name, mesh) {
    this.meshes.set(name, new UploadedMesh(this.gl, mesh));
  }

  /** @param {Instance[]} instances @param {Camera} camera @param {Theme} theme @param {Ground} ground @param {Overlay} overlay */
  draw(instances, camera, theme, ground, overlay) {
    const { gl, canvas } = this;
    for (const mesh of this.meshes.values()) mesh.clear();
    for (const instance of instances) this.meshes.get(instance.shape)?.add(instance);
    for (const mesh of this.meshes.values()) mesh.upload();
    const sun = sunMatrix(ground);
    this.drawShadow(sun);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    const [red, green, blue] = theme.background;
    gl.clearColor(red, green, blue, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    if (camera.eye[2] > ground.height) this.drawGround(camera, theme, ground, sun);
    gl.useProgram(this.parts);
    setMatrix(gl, this.parts, "camera", camera.matrix);
    gl.uniform3fv(gl.getUniformLocation(this.parts, "eye"), camera.eye);
    gl.uniform3fv(gl.getUniformLocation(this.parts, "light"), LIGHT);
    gl.disable(gl.BLEND);
    for (const mesh of this.meshes.values()) mesh.draw("opaque");
    gl.enable(gl.BLEND);
    // A ghost is drawn in two passes, depth first, so that its own parts do not shine through each other; and a little
    // farther away, so that it does not tint what it coincides with.
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 16);
    gl.colorMask(false, false, false, false);
    for (const mesh of this.meshes.values()) mesh.draw("translucent");
    gl.colorMask(true, true, true, true);
    gl.depthFunc(gl.LEQUAL);
    for (const mesh of this.meshes.values()) mesh.draw("translucent");
    gl.depthFunc(gl.LESS);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    overlay?.(this);
    gl.useProgram(this.parts);
    gl.disable(gl.BLEND);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    for (const mesh of this.meshes.values()) mesh.draw("above");
  }

  /** @param {Float32Array} sun */
  drawShadow(sun) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.buffer);
    gl.viewport(0, 0, SHADOW_PIXELS, SHADOW_PIXELS);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.useProgram(this.depth);
    setMatrix(gl, this.depth, "camera", sun);
    for (const mesh of this.meshes.values()) mesh.draw("opaque");
  }

  /** @param {Camera} camera @param {Theme} theme @param {Ground} ground @param {Float32Array} sun */
  drawGround(camera, theme, ground, sun) {
    const { gl } = this;
    const [x, y] = ground.middle;
    gl.useProgram(this.ground);
    setMatrix(gl, this.ground, "camera", camera.matrix);
    setMatrix(gl, this.ground, "sun", sun);
    gl.uniform4f(gl.getUniformLocation(this.ground, "place"), x, y, ground.height, 3.2 * ground.radius);
    gl.uniform4f(gl.getUniformLocation(this.ground, "ground"), theme.ground[0], theme.ground[1], theme.ground[2], theme.shadow);
    gl.uniform3fv(gl.getUniformLocation(this.ground, "grid"), theme.grid);
    gl.uniform1f(gl.getUniformLocation(this.ground, "spacing"), gridSpacing(ground.radius));
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
    gl.uniform1i(gl.getUniformLocation(this.ground, "shade"), 0);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }
}

/** Distance of grid lines: 1, 2 or 5 times a power of ten, about a tenth of the scene [m]. @param {number} radius */
export function gridSpacing(radius) {
  const power = 10 ** Math.floor(Math.log10(radius / 4));
  const factor = radius / 4 / power;
  return power * (factor >= 5 ? 5 : factor >= 2 ? 2 : 1);
}

/** A mesh on the graphics card with the instances of it that are to be drawn. */
class UploadedMesh {
  /** @param {WebGL2RenderingContext} gl @param {Mesh} mesh */
  constructor(gl, mesh) {
    this.gl = gl;
    this.count = mesh.indices.length;
    this.array = gl.createVertexArray();
    this.instances = gl.createBuffer();
    /** @type {Record<string, Instance[]>} */
    this.kept = { opaque: [], translucent: [], above: [] };
    /** @type {Record<string, number>} */
    this.starts = {};
    gl.bindVertexArray(this.array);
    [mesh.positions, mesh.normals].forEach((data, place) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
  }

  clear() {
    for (const kind of Object.keys(this.kept)) this.kept[kind] = [];
  }

  /** @param {Instance & { above?: boolean }} instance */
  add(instance) {
    this.kept[instance.above ? "above" : instance.colour[3] < 1 ? "translucent" : "opaque"].push(instance);
  }

  upload() {
    const { gl } = this;
    const all = Object.entries(this.kept).flatMap(([kind, list], _, entries) => {
      this.starts[kind] = entries.slice(0, entries.findIndex(([name]) => name === kind)).reduce((sum, [, before]) => sum + before.length, 0);
      return list;
    });
    if (!all.length) return;
    const data = new Float32Array(FLOATS * all.length);
    all.forEach(({ frame, size, colour }, k) => {
      for (let row = 0; row < 3; row += 1) {
        for (let column = 0; column < 3; column += 1) data[FLOATS * k + 4 * row + column] = frame[4 * row + column] * size[column];
        data[FLOATS * k + 4 * row + 3] = frame[4 * row + 3];
      }
      data.set(colour, FLOATS * k + 12);
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
  }

  /** @param {string} kind opaque, translucent or above everything else */
  draw(kind) {
    const { gl } = this;
    const count = this.kept[kind].length;
    if (!count) return;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    for (let k = 0; k < 4; k += 1) {
      gl.enableVertexAttribArray(2 + k);
      gl.vertexAttribPointer(2 + k, 4, gl.FLOAT, false, 4 * FLOATS, 4 * FLOATS * this.starts[kind] + 16 * k);
      gl.vertexAttribDivisor(2 + k, 1);
    }
    gl.drawElementsInstanced(gl.TRIANGLES, this.count, gl.UNSIGNED_SHORT, 0, count);
  }
}

/** @param {WebGL2RenderingContext} gl @param {string} vertex @param {string} fragment */
export function program(gl, vertex, fragment) {
  const made = /** @type {WebGLProgram} */ (gl.createProgram());
  for (const [kind, text] of /** @type {[number, string][]} */ ([[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]])) {
    const shader = /** @type {WebGLShader} */ (gl.createShader(kind));
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? "shader");
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made) ?? "program");
  return made;
}

/** @param {WebGL2RenderingContext} gl */
function shadowTarget(gl) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_PIXELS, SHADOW_PIXELS);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  const buffer = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
  return { texture, buffer };
}

/** @param {WebGL2RenderingContext} gl @param {WebGLProgram} used @param {string} name @param {Float32Array} matrix */
export function setMatrix(gl, used, name, matrix) {
  gl.uniformMatrix4fv(gl.getUniformLocation(used, name), false, matrix);
}

/** Looks down along the light, parallel, at the sphere of the scene and the ground. @param {Ground} ground */
function sunMatrix({ radius, middle }) {
  const back = LIGHT;
  const right = unit([back[1], -back[0], 0]);
  const up = [
    back[1] * right[2] - back[2] * right[1],
    back[2] * right[0] - back[0] * right[2],
    back[0] * right[1] - back[1] * right[0],
  ];
  const reach = 1.9 * radius;
  /** @param {number[]} a */
  const shift = (a) => -(a[0] * middle[0] + a[1] * middle[1] + a[2] * middle[2]);
  const view = [
    right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
    shift(right), shift(up), shift(back), 1,
  ];
  const lens = [1 / reach, 0, 0, 0, 0, 1 / reach, 0, 0, 0, 0, -1 / (2 * reach), 0, 0, 0, 0, 1];
  return product4(lens, view);
}
