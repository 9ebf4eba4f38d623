package dev.claimstream.agent.devices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Taint;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Taints that follow from health readings. */
final class DeviceHealthTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final PciAddress GPU = new PciAddress("0000:3b:00.0");

    private final DeviceHealth health = new DeviceHealth(Duration.ofSeconds(60), "NoSchedule");

    private void observe(DeviceHealth.HealthReading seen, int second) {
        health.observe(GPU, DeviceHealth.HealthSignal.UNHEALTHY, seen, START.plusSeconds(second));
    }

    @Test
    void taintsUnhealthyDeviceSinceFirstReading() {
        observe(new DeviceHealth.HealthReading.Unhealthy("xid-79"), 0);
        observe(new DeviceHealth.HealthReading.Unhealthy("xid-79"), 5);
        assertThat(health.taints(GPU))
                .containsExactly(
                        new Taint("agent.claimstream.dev/unhealthy", "xid-79", "NoSchedule", Optional.of(START)));
    }

    @Test
    void removesTaintAfterHealthyRecoveryTime() {
        observe(new DeviceHealth.HealthReading.Unhealthy("xid-79"), 0);
        observe(new DeviceHealth.HealthReading.Healthy(), 10);
        observe(new DeviceHealth.HealthReading.Healthy(), 69);
        assertThat(health.taints(GPU)).hasSize(1);
        observe(new DeviceHealth.HealthReading.Healthy(), 70);
        assertThat(health.taints(GPU)).isEmpty();
    }

    @Test
    void relapseRestartsRecoveryTime() {
        observe(new DeviceHealth.HealthReading.Unhealthy("xid-79"), 0);
        observe(new DeviceHealth.HealthReading.Healthy(), 10);
        observe(new DeviceHealth.HealthReading.Unhealthy("xid-79"), 20);
        observe(new DeviceHealth.HealthReading.Healthy(), 30);
        observe(new DeviceHealth.HealthReading.Healthy(), 80);
        assertThat(health.taints(GPU)).hasSize(1);
    }

    @Test
    void unknownReadingChangesNothing() {
        observe(new DeviceHealth.HealthReading.Unhealthy("xid-79"), 0);
        observe(new DeviceHealth.HealthReading.Unknown(), 1000);
        assertThat(health.taints(GPU)).hasSize(1);
    }

    @Test
    void addsOneTaintPerSignal() {
        observe(new DeviceHealth.HealthReading.Unhealthy("xid-79"), 0);
        health.observe(
                GPU, DeviceHealth.HealthSignal.UNREACHABLE, new DeviceHealth.HealthReading.Unhealthy("pci"), START);
        assertThat(health.taints(GPU))
                .extracting(Taint::key)
                .containsExactly("agent.claimstream.dev/unreachable", "agent.claimstream.dev/unhealthy");
    }

    @Test
    void forgetsTaintsOfRemovedDevice() {
        observe(new DeviceHealth.HealthReading.Unhealthy("xid-79"), 0);
        health.retainOnly(Set.of());
        assertThat(health.taints(GPU)).isEmpty();
    }
}
