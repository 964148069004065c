"""Small closed chains in each dialect, written for these tests."""

from __future__ import annotations

_BARS = """
    <body name="crank" pos="0.1 0 0.2">
      <inertial pos="0.05 0.01 0.04" mass="0.6" diaginertia="0.004 0.003 0.002" euler="0.3 0 0.2"/>
      <joint name="crank" axis="0 1 0" damping="0.03" armature="0.02" range="-2 2"/>
      <body name="coupler" pos="0.12 0 0.05">
        <inertial pos="0.1 0 0.02" mass="0.4" diaginertia="0.003 0.003 0.001"/>
        <joint name="coupler" axis="0 1 0" damping="0.01"/>
        {coupler}
      </body>
    </body>
    <body name="rocker" pos="0.45 0 0.2" euler="0 0.2 0">
      <inertial pos="0.02 0 0.1" mass="0.5" fullinertia="0.004 0.003 0.002 0.0001 0.0002 -0.0001"/>
      <joint name="rocker" axis="0 1 0" stiffness="1.5" springref="0.3" ref="0.1"/>
      {rocker}
    </body>
"""

FOUR_BAR_BODIES = f"""<mujoco model="four bar">
  <compiler angle="radian"/>
  <worldbody>{_BARS.format(coupler='<geom name="shell" type="box" size="0.1 0.01 0.01"/>', rocker="")}</worldbody>
  <equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.25 0 0.15"/></equality>
  <actuator><motor name="m" joint="crank" gear="-4" ctrlrange="-3 3"/></actuator>
</mujoco>
"""
"""A four-bar that is closed between two bodies, with a spring, a shifted zero and a motor behind a gear."""

FOUR_BAR_SITES = f"""<mujoco model="four bar">
  <compiler angle="radian"/>
  <worldbody>{
    _BARS.format(coupler='<site name="pin_c" pos="0.25 0 0.15"/>', rocker='<site name="pin_r" pos="0.03 0 0.18"/>')
}</worldbody>
  <equality><connect site1="pin_c" site2="pin_r"/></equality>
  <actuator><motor name="m" joint="crank"/></actuator>
</mujoco>
"""
"""The same, closed between two sites that are apart at the zero pose."""

FOUR_BAR_WELD = f"""<mujoco model="four bar">
  <compiler angle="radian"/>
  <worldbody>{
    _BARS.format(
        coupler="",
        rocker='<body name="tip" pos="0.05 0 0.15"><joint name="tip" axis="0 1 0"/>'
        '<inertial pos="0 0 0" mass="0.05" diaginertia="1e-5 1e-5 1e-5"/></body>',
    )
}</worldbody>
  <equality><weld name="glue" body1="coupler" body2="tip"/></equality>
  <actuator><position name="m" joint="crank" kp="30" forcerange="-5 5"/></actuator>
</mujoco>
"""
"""A four-bar that is closed by a weld behind a fourth hinge."""

RSSR = """<mujoco model="rssr">
  <compiler angle="radian"/>
  <option gravity="0.5 0 -9.7"/>
  <include file="rest.xml"/>
  <worldbody>
    <body name="crank">
      <inertial pos="0.05 0 0" mass="0.5" diaginertia="0.001 0.002 0.003"/>
      <joint name="crank" class="stiff" axis="0 0 1"/>
      <body name="rod" pos="0.1 0 0" euler="0.1 0.2 0.3">
        <inertial pos="0.15 0.01 0" mass="0.3" diaginertia="0.0005 0.003 0.0028"/>
        <joint name="ball" type="ball" damping="0.02"/>
      </body>
    </body>
    <body name="rocker" pos="0.35 0.35 -0.1">
      <inertial pos="0 0.01 0.08" mass="0.4" diaginertia="0.002 0.002 0.001"/>
      <joint name="rocker" axis="1 0 0"/>
    </body>
  </worldbody>
  <equality><connect name="end" body1="rod" body2="rocker" anchor="0.2 0.25 0.05"/></equality>
  <actuator><motor name="m" joint="crank" class="stiff"/></actuator>
</mujoco>
"""
"""A spatial loop with a ball, classes and an include."""

RSSR_REST = """<mujocoinclude>
  <default><default class="stiff">
    <joint damping="0.05" frictionloss="0.1" armature="0.01"/><motor gear="2"/>
  </default></default>
</mujocoinclude>
"""

COUPLED = """<mujoco model="coupled">
  <compiler angle="radian"/>
  <worldbody>
    <body name="base">
      <joint name="lift" type="slide" axis="0 0 1"/>
      <joint name="turn" axis="0 0 1" ref="0.4"/>
      <geom type="box" size="0.05 0.04 0.03" density="900"/>
      <body name="arm" pos="0.2 0 0">
        <joint name="arm" axis="0 1 0" ref="-0.2"/>
        <inertial pos="0.1 0 0" mass="0.7" diaginertia="0.001 0.004 0.004"/>
        <body name="hand" pos="0.2 0 0">
          <joint name="hand" axis="0 1 0"/>
          <joint name="stuck" axis="1 0 0"/>
          <inertial pos="0.05 0 0.02" mass="0.2" diaginertia="0.0004 0.0005 0.0006"/>
        </body>
      </body>
    </body>
  </worldbody>
  <equality>
    <joint name="gear" joint1="arm" joint2="turn" polycoef="0.1 -0.7 0 0 0"/>
    <joint name="stop" joint1="stuck" polycoef="0.3 0 0 0 0"/>
  </equality>
  <actuator>
    <motor name="a" joint="lift"/><motor name="b" joint="turn"/><motor name="c" joint="hand"/>
  </actuator>
</mujoco>
"""
"""Two joints on one body, mass from a shape, a gear between joints and a joint that is held."""

URDF = """<robot name="four_bar">
  <link name="ground"><inertial><mass value="9"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="crank"><inertial><origin xyz="0.05 0.01 0.04" rpy="0.3 0.1 0.2"/><mass value="0.6"/>
    <inertia ixx="0.004" iyy="0.003" izz="0.002" ixy="0.0001" ixz="0" iyz="0.0002"/></inertial>
    <visual><geometry><mesh filename="crank.stl"/></geometry></visual></link>
  <link name="coupler"><inertial><origin xyz="0.1 0 0.02"/><mass value="0.4"/>
    <inertia ixx="0.003" iyy="0.003" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="rocker"><inertial><origin xyz="0.02 0 0.1"/><mass value="0.5"/>
    <inertia ixx="0.004" iyy="0.003" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="pin_A"/><link name="pin_B"/>
  <joint name="crank" type="revolute"><origin xyz="0.1 0 0.2"/><parent link="ground"/><child link="crank"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="7" velocity="3"/>
    <dynamics damping="0.03" friction="0.1"/></joint>
  <joint name="coupler" type="continuous"><origin xyz="0.12 0 0.05" rpy="0 0.1 0"/><parent link="crank"/>
    <child link="coupler"/><axis xyz="0 1 0"/></joint>
  <joint name="rocker" type="continuous"><origin xyz="0.45 0 0.2" rpy="0 0.2 0"/><parent link="ground"/>
    <child link="rocker"/><axis xyz="0 -1 0"/></joint>
  <joint name="pin_A_joint" type="fixed"><origin xyz="0.25 0 0.15"/><parent link="coupler"/>
    <child link="pin_A"/></joint>
  <joint name="pin_B_joint" type="fixed"><origin xyz="0.03 0 0.18"/><parent link="rocker"/><child link="pin_B"/></joint>
</robot>
"""
"""A four-bar whose loop is closed in a YAML file."""

URDF_LOOPS = """# closes robot.urdf
closed_loop: [['pin_A', 'pin_B']]
type: ['3d']
name_mot:
  - crank
"""

SDF = """<sdf version="1.9"><model name="four_bar">
  <link name="ground"><inertial><mass>9</mass></inertial></link>
  <link name="crank"><pose relative_to="ground">0.1 0 0.2 0 0 0</pose>
    <inertial><pose>0.05 0.01 0.04 0.3 0.1 0.2</pose><mass>0.6</mass>
      <inertia><ixx>0.004</ixx><iyy>0.003</iyy><izz>0.002</izz><ixy>0.0001</ixy><ixz>0</ixz><iyz>0.0002</iyz></inertia>
    </inertial></link>
  <link name="coupler"><pose relative_to="elbow">0 0 0 0 0 0</pose>
    <inertial><pose>0.1 0 0.02 0 0 0</pose><mass>0.4</mass>
      <inertia><ixx>0.003</ixx><iyy>0.003</iyy><izz>0.001</izz></inertia></inertial></link>
  <link name="rocker"><pose>{rocker}</pose>
    <inertial><pose>0.02 0 0.1 0 0 0</pose><mass>0.5</mass>
      <inertia><ixx>0.004</ixx><iyy>0.003</iyy><izz>0.002</izz></inertia></inertial>
    <visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual></link>
  <frame name="elbow" attached_to="crank"><pose>{elbow}</pose></frame>
  <joint name="fix" type="fixed"><parent>world</parent><child>ground</child></joint>
  <joint name="crank" type="revolute"><parent>ground</parent><child>crank</child>
    <axis><xyz>0 1 0</xyz><limit><lower>-2</lower><upper>2</upper><effort>7</effort><velocity>3</velocity></limit>
      <dynamics><damping>0.03</damping><friction>0.1</friction></dynamics></axis></joint>
  <joint name="coupler" type="revolute"><parent>crank</parent><child>coupler</child>
    <axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="rocker" type="revolute"><parent>ground</parent><child>rocker</child>
    <axis><xyz expressed_in="__model__">0 -1 0</xyz></axis></joint>
  <joint name="pin" type="ball"><pose relative_to="coupler">0.25 0 0.15 0 0 0</pose>
    <parent>coupler</parent><child>rocker</child></joint>
  <plugin name="gz::sim::systems::JointController" filename="x"><joint_name>crank</joint_name></plugin>
</model></sdf>
"""
"""The same four-bar, drawn closed: `rocker` and `elbow` are poses."""

KLIPPER = """# a delta
[printer]
kinematics: delta
max_velocity: 300
delta_radius: 124.5
print_radius = 110
[stepper_a]
arm_length: 289.5   # mm
position_endstop: 297.05
rotation_distance: 40
step_pin: PF0
[stepper_b]
angle: 331
[stepper_c]
[extruder]
nozzle_diameter: 0.4
#*# <---------------------- SAVE_CONFIG ---------------------->
#*# [printer]
#*# delta_radius = 125.25
#*# [stepper_c]
#*# arm_length = 290.0
"""

MARLIN = """
#define DELTA
//#define DELTA_RADIUS 1.0
#if ENABLED(DELTA)
  #define DELTA_DIAGONAL_ROD 218.0 // (mm)
  #define DELTA_SMOOTH_ROD_OFFSET 150.0
  #define DELTA_EFFECTOR_OFFSET 24.0
  #define DELTA_CARRIAGE_OFFSET 22.0
  #define DELTA_RADIUS (DELTA_SMOOTH_ROD_OFFSET-(DELTA_EFFECTOR_OFFSET)-(DELTA_CARRIAGE_OFFSET))
  #define DELTA_HEIGHT 180.0
  #define DELTA_PRINTABLE_RADIUS 90.0
  #define DELTA_TOWER_ANGLE_TRIM { 0.5, -0.25, 0.0 }
  #define DELTA_RADIUS_TRIM_TOWER { 0.0, 0.3, 0.0 }
  #define DELTA_ENDSTOP_ADJ { -0.5, -0.25, 0.0 }
#endif
"""
