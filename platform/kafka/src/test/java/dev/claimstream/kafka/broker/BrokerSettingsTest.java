package dev.claimstream.kafka.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Session and heartbeats of the embedded broker. */
class BrokerSettingsTest {
    private static final String SESSION = "broker.session.timeout.ms";

    private final BrokerSettings settings = BrokerSettings.in(Path.of("data"));

    @Test
    void sessionIsShortIfPredecessorMayBeRegistered() {
        assertThat(session(settings)).isGreaterThan(3_100);
        assertThat(session(settings.afterUncleanShutdown())).isLessThan(1_500);
        assertThat(session(settings.replicated(3))).isLessThan(1_500);
    }

    @Test
    void sessionOutlastsTwoLostHeartbeats() {
        for (BrokerSettings each : new BrokerSettings[] {settings, settings.afterUncleanShutdown()}) {
            assertThat(session(each)).isGreaterThanOrEqualTo(3 * number(each, "broker.heartbeat.interval.ms"));
        }
    }

    @Test
    void overridesApplyAfterUncleanShutdown() {
        assertThat(number(settings.with("num.io.threads", "7").afterUncleanShutdown(), "num.io.threads"))
                .isEqualTo(7);
    }

    private static int session(BrokerSettings settings) {
        return number(settings, SESSION);
    }

    private static int number(BrokerSettings settings, String name) {
        return Integer.parseInt(settings.properties(1, 2).getProperty(name));
    }
}
