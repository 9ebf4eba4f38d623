package dev.claimstream.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micronaut.context.ApplicationContext;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names, defaults and error messages of the agent's settings. */
final class AgentSettingsTest {
    @TempDir
    private Path folder;

    private AgentSettings settings(Map<String, String> given) {
        Map<String, Object> properties = new HashMap<>(Map.of("claimstream.agent.sys", folder.toString()));
        given.forEach((name, value) -> properties.put("claimstream.agent." + name, value));
        try (var context = ApplicationContext.builder()
                .deduceEnvironment(false)
                .properties(properties)
                .start()) {
            return AgentSettings.of(context.getBean(AgentConfig.class));
        }
    }

    @Test
    void defaultsMatchReadme() {
        AgentSettings settings = settings(Map.of("node", "node-1"));
        assertThat(settings.node()).isEqualTo("node-1");
        assertThat(settings.slices()).isTrue();
        assertThat(settings.taintEffect()).isEqualTo("NoSchedule");
        assertThat(settings.recovery()).isEqualTo(Duration.ofSeconds(60));
        assertThat(settings.scanEvery()).isEqualTo(Duration.ofSeconds(10));
        assertThat(settings.heartbeatEvery()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.exporters().addresses()).isEmpty();
        assertThat(settings.exporters().every()).isEqualTo(Duration.ofSeconds(15));
        assertThat(settings.exporters().timeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.exporters().bytesMax()).isEqualTo(8 << 20);
        assertThat(settings.exporters().fatalXids()).containsExactly(48, 64, 79, 95, 119, 120, 140);
    }

    @Test
    void readsEverySetting() {
        AgentSettings settings = settings(Map.of(
                "node", "a.b-c",
                "slices", "false",
                "taint-effect", "NoExecute",
                "recovery", "5m",
                "scan-every", "1s",
                "heartbeat-every", "2s",
                "exporters", "http://localhost:9400/metrics,https://node:5000/metrics",
                "scrape-every", "30s",
                "scrape-bytes-max", "1000",
                "fatal-xids", "79"));
        assertThat(settings.slices()).isFalse();
        assertThat(settings.exporters().addresses())
                .containsExactly(URI.create("http://localhost:9400/metrics"), URI.create("https://node:5000/metrics"));
        assertThat(settings.exporters().fatalXids()).containsExactly(79);
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource({
        "node, Not_A_Name, NODE_NAME",
        "sys, /nowhere/at/all, not a folder",
        "devices, /nowhere/at/all, cannot be read",
        "exclude, gpu0, use an address",
        "taint-effect, Sometimes, NoSchedule",
        "recovery, 0s, above zero",
        "heartbeat-every, -1s, above zero",
        "exporters, file:///etc/passwd, http://",
        "exporters, http://me:secret@localhost/, without user",
        "scrape-bytes-max, 0, bytes",
        "fatal-xids, all, numbers"
    })
    void rejectsInvalidSettingWithRemedy(String name, String value, String remedy) {
        Map<String, String> given = new HashMap<>(Map.of("node", "node-1"));
        given.put(name, value);
        assertThatThrownBy(() -> settings(given))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(wrong -> Assertions.assertThat(wrong.getMessage())
                        .contains("claimstream.agent." + name)
                        .contains(remedy));
    }
}
