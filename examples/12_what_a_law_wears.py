"""A law for a real machine: a notch, a disturbance observer and a scale for the payload, then hand guiding and back.

python examples/12_what_a_law_wears.py
"""

import numpy as np

import parakin as pk
from parakin import control, simulation, trajectory

robot = pk.load("five_bar")
law = control.law("computed_torque", robot, period=1e-3).with_gains(K_p=4900.0, K_d=98.0, K_i=0.0)
worn = control.with_notch(law, frequency=250.0)
worn = control.with_disturbance_observer(worn, bandwidth=20.0, delay=True)
worn = control.with_payload_estimate(worn)
print(f"{worn.name} wears {', '.join(worn.worn)}")

real = simulation.Scenario(
    counts=20_861, velocity_filter=200.0, delay=True, payload=pk.Payload(mass=0.3), payload_time=0.2
)
for each in (law, worn):
    margins = simulation.margins(robot, each, real)
    print(f"{each.name}: delay margin {1e3 * margins.delay:.2f} ms, gain margin {margins.gain:.2f}")

reference = control.reference(robot, trajectory.pick_and_place(robot), law.period, settle=0.5)
for each in (law, worn):
    log = simulation.simulate(robot, each, reference, real, record_state=True)
    print(f"{each.name}: largest error {1e3 * log.summary().distance_peak:.3f} mm")
print(f"weighed: {control.payload_of(log['state.payload'][-1]).mass:.3f} kg of 0.3 kg")

either = control.switched(control.hand_guiding(robot), law)
still = control.hold(robot, robot.home, 1.0, law.period)
taken = simulation.simulate(robot, either, still, simulation.Scenario(switches=(0.5,)), record_state=True)
jumps = np.abs(np.diff(taken["command"], axis=0)).max(axis=1)
print(f"from the hand to {law.name}: the force moves by {jumps[499]:.1e} N m at the switch")
