package dev.claimstream.process.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the catalog of settings. */
final class SettingsCatalogTest {
    static Stream<Setting> settings() {
        return SettingsCatalog.all().stream();
    }

    @Test
    void variableOfAKindHasOneName() {
        assertThat(EnvironmentVariables.settingsPerKind(Set.of(
                        "CLAIMSTREAM_ALLOCATOR_SOURCES_RESOURCE_CLAIM_TEMPLATE",
                        "CLAIMSTREAM_ALLOCATOR_SOURCES_POD",
                        "CLAIMSTREAM_ALLOCATOR_POLICY",
                        "PATH")))
                .containsOnly(
                        Map.entry(
                                "CLAIMSTREAM_ALLOCATOR_SOURCES_RESOURCE_CLAIM_TEMPLATE",
                                "claimstream.allocator.sources.resource-claim-template"),
                        Map.entry("CLAIMSTREAM_ALLOCATOR_SOURCES_POD", "claimstream.allocator.sources.pod"));
    }

    @Test
    void namesAndVariablesAreUnique() {
        assertThat(settings().map(Setting::name)).doesNotHaveDuplicates();
        assertThat(Stream.concat(settings().map(Setting::variable), EnvironmentVariables.others().keySet().stream()))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    void acceptsItsOwnDefault(Setting setting) {
        String text = setting.defaultText();
        Stream<String> values = setting.type().isList() ? Stream.of(text.split(",", -1)) : Stream.of(text);
        assertThat(values.filter(each -> !each.isEmpty()))
                .allSatisfy(
                        each -> assertThat(setting.type().accepts().test(each)).isTrue());
        assertThat(setting.meaning()).endsWith(".");
    }

    @ParameterizedTest(name = "{0} is {1}: {2}")
    @CsvSource({
        "claimstream.allocator.threads, 64, true",
        "claimstream.allocator.threads, 65, false",
        "claimstream.allocator.threads, many, false",
        "claimstream.allocator.rebuild, true, true",
        "claimstream.allocator.rebuild, yes, false",
        "claimstream.agent.recovery, 90s, true",
        "claimstream.agent.recovery, 0s, false",
        "claimstream.agent.recovery, soon, false",
        "claimstream.liveness.timeout, 500ms, false",
        "claimstream.kafka.bootstrap, 'a:9092, b:9092', true",
        "claimstream.kafka.bootstrap, a, false",
        "claimstream.registry.url, http://me:secret@registry, false",
        "claimstream.observability.port, 65536, false",
        "claimstream.writer.pin, maybe, false"
    })
    void acceptsValuesOfTheType(String name, String value, boolean accepted) {
        assertThat(SettingsCatalog.find(name).orElseThrow().type().accepts().test(value))
                .isEqualTo(accepted);
    }

    @ParameterizedTest(name = "{0} means {1}")
    @CsvSource({
        "claimstream.allocator.polcy, claimstream.allocator.policy",
        "claimstream.kafka.bootstrap-servers, claimstream.kafka.bootstrap",
        "claimstream.console.ports, claimstream.console.port",
        "claimstream.x, "
    })
    void findsNearestName(String unknown, String nearest) {
        assertThat(SettingsCatalog.nearestName(unknown).orElse(null)).isEqualTo(nearest);
    }

    @Test
    void findsSettingOfAnyKind() {
        assertThat(SettingsCatalog.find("claimstream.allocator.sources.node")).isPresent();
        assertThat(SettingsCatalog.find("claimstream.allocator.sources")).isEmpty();
        Setting sources = SettingsCatalog.ofVariable("CLAIMSTREAM_ALLOCATOR_SOURCES_RESOURCE_SLICE")
                .orElseThrow();
        assertThat(sources.nameOf("CLAIMSTREAM_ALLOCATOR_SOURCES_RESOURCE_SLICE"))
                .isEqualTo("claimstream.allocator.sources.resource-slice");
    }
}
