// Runs in the browser: loads /model.glb, seeks to a time, and returns the pose of every node.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const FRAMED_TIMES = 24; // times of the animation at which the camera must show all bodies

function light(scene) {
  scene.background = new THREE.Color(0xe4e9ef);
  scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8680, 1.6));
  const key = new THREE.DirectionalLight(0xffffff, 2.2);
  key.position.set(-0.5, 1, 0.8);
  scene.add(key);
}

// A three-quarter view of the whole motion. Flat sheets (ground) are left out.
function frame(root, seek, duration, aspect) {
  const box = new THREE.Box3();
  for (let i = 0; i <= FRAMED_TIMES; ++i) {
    seek((duration * i) / FRAMED_TIMES);
    root.updateMatrixWorld(true);
    root.traverse((object) => {
      if (object.isMesh && (object.geometry.attributes.position?.count ?? 0) > 4) box.expandByObject(object);
    });
  }
  if (box.isEmpty()) box.setFromObject(root);
  const ball = box.getBoundingSphere(new THREE.Sphere());
  const radius = Math.max(ball.radius, 1e-9);
  const camera = new THREE.PerspectiveCamera(30, aspect, radius / 100, radius * 100);
  const half = Math.atan(Math.tan((15 * Math.PI) / 180) * Math.min(1, aspect));
  const distance = (1.05 * radius) / Math.sin(half);
  const away = new THREE.Vector3(0.5, 0.36, 0.79).normalize().multiplyScalar(distance);
  camera.position.copy(ball.center).add(away);
  camera.lookAt(ball.center);
  return camera;
}

window.look = async (time) => {
  const gltf = await new GLTFLoader().loadAsync('/model.glb');
  const scene = new THREE.Scene();
  light(scene);
  scene.add(gltf.scene);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  for (const clip of gltf.animations) {
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce, 1); // at the end of the clip it shows the last frame, not the first
    action.clampWhenFinished = true;
    action.play();
  }
  const duration = Math.max(0, ...gltf.animations.map((clip) => clip.duration));
  const seek = (t) => {
    for (const clip of gltf.animations) mixer.clipAction(clip).reset();
    mixer.setTime(t);
  };

  const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  renderer.setSize(window.innerWidth, window.innerHeight);
  document.body.append(renderer.domElement);
  const camera = frame(gltf.scene, seek, duration, window.innerWidth / window.innerHeight);
  seek(time);
  scene.updateMatrixWorld(true);
  renderer.render(scene, camera);

  const nodes = [];
  for (const [object, { nodes: index }] of gltf.parser.associations) {
    if (index === undefined || !object.isObject3D) continue;
    nodes[index] = {
      name: gltf.parser.json.nodes[index].name ?? '', // as in the file; three.js changes some characters
      position: object.getWorldPosition(new THREE.Vector3()).toArray(),
      quaternion: object.getWorldQuaternion(new THREE.Quaternion()).toArray(), // x y z w
    };
  }
  return {
    time,
    duration,
    animations: gltf.animations.map((clip) => clip.name),
    tracks: gltf.animations.reduce((sum, clip) => sum + clip.tracks.length, 0),
    nodes: nodes.filter(Boolean),
  };
};
