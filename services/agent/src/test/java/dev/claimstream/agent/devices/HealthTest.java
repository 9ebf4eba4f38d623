package dev.claimstream.agent.devices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Taint;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** From signs to taints. */
final class HealthTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final PciAddress GPU = new PciAddress("0000:3b:00.0");

    private final Health health = new Health(Duration.ofSeconds(60), "NoSchedule");

    private void see(Health.Seen seen, int second) {
        health.see(GPU, Health.Sign.UNHEALTHY, seen, START.plusSeconds(second));
    }

    @Test
    void whatIsIllIsTaintedSinceItWasSeen() {
        see(new Health.Seen.Ill("xid-79"), 0);
        see(new Health.Seen.Ill("xid-79"), 5);
        assertThat(health.taints(GPU))
                .containsExactly(
                        new Taint("agent.claimstream.dev/unhealthy", "xid-79", "NoSchedule", Optional.of(START)));
    }

    @Test
    void itIsWellAfterAWhileOfBeingSeenWell() {
        see(new Health.Seen.Ill("xid-79"), 0);
        see(new Health.Seen.Well(), 10);
        see(new Health.Seen.Well(), 69);
        assertThat(health.taints(GPU)).hasSize(1);
        see(new Health.Seen.Well(), 70);
        assertThat(health.taints(GPU)).isEmpty();
    }

    @Test
    void aRelapseStartsTheWhileAnew() {
        see(new Health.Seen.Ill("xid-79"), 0);
        see(new Health.Seen.Well(), 10);
        see(new Health.Seen.Ill("xid-79"), 20);
        see(new Health.Seen.Well(), 30);
        see(new Health.Seen.Well(), 80);
        assertThat(health.taints(GPU)).hasSize(1);
    }

    @Test
    void notToKnowChangesNothing() {
        see(new Health.Seen.Ill("xid-79"), 0);
        see(new Health.Seen.Nothing(), 1000);
        assertThat(health.taints(GPU)).hasSize(1);
    }

    @Test
    void twoSignsAreTwoTaints() {
        see(new Health.Seen.Ill("xid-79"), 0);
        health.see(GPU, Health.Sign.UNREACHABLE, new Health.Seen.Ill("pci"), START);
        assertThat(health.taints(GPU))
                .extracting(Taint::key)
                .containsExactly("agent.claimstream.dev/unreachable", "agent.claimstream.dev/unhealthy");
    }

    @Test
    void aDeviceThatWasAwayStartsAnew() {
        see(new Health.Seen.Ill("xid-79"), 0);
        health.keep(Set.of());
        assertThat(health.taints(GPU)).isEmpty();
    }
}
