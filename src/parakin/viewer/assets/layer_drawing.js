// Draws layers: lines as solids, faces translucent with lines of equal value on maps; on a plain canvas flat, behind the robot.

import { css } from "./canvas_renderer.js";
import { CORNER } from "./layer_mesh.js";
import { LIGHT, program, setMatrix } from "./webgl_renderer.js";

/** @typedef {import("./layer_mesh.js").LayerMesh} LayerMesh */
/** @typedef {import("./camera.js").Camera} Camera */

const LAYER_VERTEX = `#version 300 es
layout(location=0) in vec3 position;
layout(location=1) in vec3 normal;
layout(location=2) in vec4 colour;
layout(location=3) in float level;
uniform mat4 camera;
out vec3 world;
out vec3 across;
out vec4 paint;
out float height;
void main() {
  world = position;
  across = normal;
  paint = colour;
  height = level;
  gl_Position = camera * vec4(position, 1.0);
}`;

const LAYER_FRAGMENT = `#version 300 es
precision highp float;
in vec3 world;
in vec3 across;
in vec4 paint;
in float height;
uniform vec3 eye;
uniform vec3 light;
uniform float glass;
out vec4 result;
void main() {
  vec3 n = normalize(across);
  float facing = abs(dot(n, normalize(eye - world)));
  float shade = mix(1.0, 0.72 + 0.38 * abs(dot(n, light)), glass);
  float a = paint.a + glass * (0.85 - paint.a) * pow(1.0 - facing, 2.5) * step(paint.a, 0.84);
  float apart = abs(fract(height - 0.5) - 0.5) / max(fwidth(height), 1e-6);
  float drawn = height > 0.0 ? 0.55 * (1.0 - smoothstep(0.6, 1.4, apart)) : 0.0;
  vec3 c = mix(paint.rgb * shade, vec3(1.0), drawn);
  result = vec4(c * a, a);
}`;

/** A layer on the graphics card. */
class UploadedLayer {
  /** @param {WebGL2RenderingContext} gl @param {LayerMesh} mesh */
  constructor(gl, { corners, indices, ofLines, glass }) {
    this.gl = gl;
    this.glass = glass;
    this.ofLines = ofLines;
    this.count = indices.length;
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STATIC_DRAW);
    [[3, 0], [3, 3], [4, 6], [1, 10]].forEach(([size, start], place) => {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, 4 * CORNER, 4 * start);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
  }

  /** @param {boolean} lines whether the lines, or else the faces */
  draw(lines) {
    const { gl, ofLines, count } = this;
    gl.bindVertexArray(this.array);
    if (lines) gl.drawElements(gl.TRIANGLES, ofLines, gl.UNSIGNED_INT, 0);
    else gl.drawElements(gl.TRIANGLES, count - ofLines, gl.UNSIGNED_INT, 4 * ofLines);
  }
}

/** What draws layers by WebGL2. */
export class LayerShader {
  /** @param {WebGL2RenderingContext} gl */
  constructor(gl) {
    this.gl = gl;
    this.used = program(gl, LAYER_VERTEX, LAYER_FRAGMENT);
    /** @type {WeakMap<LayerMesh, UploadedLayer>} */ this.known = new WeakMap();
  }

  /** @param {LayerMesh} mesh */
  uploaded(mesh) {
    const found = this.known.get(mesh) ?? new UploadedLayer(this.gl, mesh);
    this.known.set(mesh, found);
    return found;
  }

  /** Lines first, as solids; then faces, those that are seen from behind before the others. @param {LayerMesh[]} meshes @param {Camera} camera */
  draw(meshes, camera) {
    const { gl, used } = this;
    const layers = meshes.map((mesh) => this.uploaded(mesh));
    gl.useProgram(used);
    setMatrix(gl, used, "camera", camera.matrix);
    gl.uniform3fv(gl.getUniformLocation(used, "eye"), camera.eye);
    gl.uniform3fv(gl.getUniformLocation(used, "light"), LIGHT);
    const glass = gl.getUniformLocation(used, "glass");
    gl.uniform1f(glass, 1);
    for (const layer of layers) layer.draw(true);
    gl.depthMask(false);
    gl.enable(gl.CULL_FACE);
    for (const side of [gl.FRONT, gl.BACK]) {
      gl.cullFace(side);
      for (const layer of layers) {
        gl.uniform1f(glass, layer.glass ? 1 : 0);
        layer.draw(false);
      }
    }
    gl.disable(gl.CULL_FACE);
    gl.depthMask(true);
  }
}

/**
 * Fills the triangles of a layer, each in the colour of its first corner.
 * @param {import("./canvas_renderer.js").CanvasRenderer} renderer @param {LayerMesh} mesh @param {Camera} camera
 */
export function drawOnCanvas(renderer, { corners, indices }, camera) {
  const { context } = renderer;
  for (let i = 0; i < indices.length; i += 3) {
    const first = CORNER * indices[i] + 6;
    context.globalAlpha = corners[first + 3];
    context.fillStyle = css(Array.from(corners.subarray(first, first + 3)));
    context.beginPath();
    for (const k of indices.subarray(i, i + 3)) {
      context.lineTo(...renderer.pixel(camera.seen([corners[CORNER * k], corners[CORNER * k + 1], corners[CORNER * k + 2]])));
    }
    context.fill();
  }
  context.globalAlpha = 1;
}
