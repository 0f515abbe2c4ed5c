"""blender -b --factory-startup --python-exit-code 1 --python look_blender.py -- FILE.glb OUT.png [TIME]

Shows a .glb in Blender at TIME seconds (default 0). Writes a picture (Workbench) and prints one line of JSON,
the only line that starts with "{": the number of animated tracks, and the pose of every object in the axes of
glTF (x right, y up, z to the front; quaternion x y z w). In Blender z is up: its (x, y, z) is (x, z, -y) in
glTF.
"""
import json
import math
import sys

import bpy
import numpy
from mathutils import Matrix, Vector

FRAMES_PER_SECOND = 60  # set before the import, which converts seconds to frames
FRAMED_TIMES = 24  # times of the animation at which the camera must show all bodies
Y_UP = Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)))


def load(path):
    # The importer of Blender 3.4 uses numpy.bool, which NumPy 1.24 does not have.
    if not hasattr(numpy, "bool"):
        numpy.bool = bool
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FRAMES_PER_SECOND
    bpy.ops.import_scene.gltf(filepath=path)


def seek(time):
    frame = time * FRAMES_PER_SECOND
    bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))


def tracks():
    """The number of channels of the file. Blender has one curve for each number of a channel."""
    return len({(action.name, curve.data_path) for action in bpy.data.actions for curve in action.fcurves})


def duration():
    ends = [action.frame_range[1] for action in bpy.data.actions]
    return max(ends, default=0) / FRAMES_PER_SECOND


def poses():
    nodes = []
    for item in bpy.data.objects:
        matrix = Y_UP @ item.matrix_world @ Y_UP.inverted()
        w, x, y, z = matrix.to_quaternion()
        nodes.append({"name": item.name, "position": list(matrix.translation), "quaternion": [x, y, z, w]})
    return nodes


def frame_motion():
    """Adds a camera that shows the whole motion, from the front right and somewhat above."""
    corners = []
    for i in range(FRAMED_TIMES + 1):
        seek(duration() * i / FRAMED_TIMES)
        for item in bpy.data.objects:
            if item.type == "MESH" and len(item.data.vertices) > 4:  # flat sheets are ground
                corners += [item.matrix_world @ Vector(corner) for corner in item.bound_box]
    low = Vector(min((c[k] for c in corners), default=-1) for k in range(3))
    high = Vector(max((c[k] for c in corners), default=1) for k in range(3))
    center, radius = (low + high) / 2, max((high - low).length / 2, 1e-9)
    data = bpy.data.cameras.new("look")
    data.sensor_fit, data.angle_y = "VERTICAL", math.radians(30)
    data.clip_start, data.clip_end = radius / 100, radius * 100
    camera = bpy.data.objects.new("look", data)
    away = Vector((0.5, -0.79, 0.36)).normalized()
    camera.location = center + away * (1.05 * radius / math.sin(math.radians(15)))
    camera.rotation_euler = away.to_track_quat("Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera


def draw(path):
    # Workbench shows the viewport colour, but the importer sets that of the shader.
    for material in bpy.data.materials:
        shader = material.node_tree and material.node_tree.nodes.get("Principled BSDF")
        if shader:
            material.diffuse_color = shader.inputs["Base Color"].default_value
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.display.shading.light, scene.display.shading.color_type = "STUDIO", "MATERIAL"
    scene.display.shading.show_shadows = scene.display.shading.show_cavity = True
    scene.world = bpy.data.worlds.new("look")
    scene.world.color = (0.75, 0.79, 0.84)
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y = 1280, 720
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = path
    bpy.ops.render.render(write_still=True)


def main():
    arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    if len(arguments) not in (2, 3):
        sys.exit("usage: blender -b --factory-startup --python-exit-code 1 --python look_blender.py "
                 "-- FILE.glb OUT.png [TIME]")
    path, picture = arguments[:2]
    time = float(arguments[2]) if len(arguments) == 3 else 0.0
    load(path)
    seek(time)
    bpy.context.view_layer.update()
    result = {"time": time, "duration": duration(), "tracks": tracks(), "nodes": poses()}
    frame_motion()
    seek(time)
    draw(picture)
    print("\n" + json.dumps(result), flush=True)


main()
