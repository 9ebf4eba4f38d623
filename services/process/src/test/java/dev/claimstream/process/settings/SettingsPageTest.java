package dev.claimstream.process.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests that {@code services/SETTINGS.md} is generated from the catalog. */
final class SettingsPageTest {
    private static final Path PAGE = Path.of("..", "SETTINGS.md");

    /** System property that writes the page instead of comparing it. */
    private static final String WRITE = "settings.page.write";

    @Test
    void pageIsThatOfTheCatalog() throws IOException {
        if (Boolean.getBoolean(WRITE)) {
            Files.writeString(PAGE, page());
        }
        assertThat(Files.exists(PAGE) ? Files.readString(PAGE) : "")
                .as("services/SETTINGS.md is stale: ./claimstream mvn -pl services/process -am test"
                        + " -Dtest=SettingsPageTest -Dsurefire.failIfNoSpecifiedTests=false -D%s=true writes it"
                                .formatted(WRITE))
                .isEqualTo(page());
    }

    private static String page() {
        return """
                # Settings

                Settings of the services. This page is generated from the catalog (`SettingsCatalog` in
                [`process`](process/README.md)); `SettingsPageTest` compares it and says how to write it.

                A setting comes from these places; a later one overrides an earlier one:

                1. `/etc/claimstream/application.yml`, if it exists: the place of a mounted ConfigMap.
                2. The files that `CLAIMSTREAM_CONFIG=FILE[,FILE]` names, in this order: `.yml`, `.yaml`, `.properties`, or folders
                   of such files.
                3. The environment. The variable of `claimstream.kafka.bootstrap` is `CLAIMSTREAM_KAFKA_BOOTSTRAP`: upper case,
                   with `_` instead of `.` and `-`.
                4. System properties, `-Dclaimstream.kafka.bootstrap=…`.

                An unknown or invalid setting ends the start with exit code 1 and one line per problem. The same files can serve
                all services: a service ignores the settings of the others.

                A change of a setting needs a restart, unless the last column says *reload*. A *file* setting names a file; the
                column says whether its content is read again when it changes.

                | setting | services | type | default | unit | meaning | change |
                |---|---|---|---|---|---|---|
                %s

                ## Environment variables that are no settings

                | variable | meaning |
                |---|---|
                %s

                Variables that Kubernetes adds for Services (`CLAIMSTREAM_CONSOLE_SERVICE_HOST`, `CLAIMSTREAM_CONSOLE_PORT=tcp://…`)
                are ignored.
                """.formatted(
                SettingsCatalog.all().stream().map(SettingsPageTest::row).collect(Collectors.joining("\n")),
                EnvironmentVariables.others().entrySet().stream()
                        .map(each -> "| `%s` | %s |".formatted(each.getKey(), each.getValue()))
                        .collect(Collectors.joining("\n")));
    }

    private static String row(Setting setting) {
        return "| `%s` | %s | %s | %s | %s | %s | %s |"
                .formatted(
                        setting.name(),
                        services(setting.services()),
                        setting.type().text(),
                        setting.need() == Setting.SettingNeed.REQUIRED ? "required" : code(setting.defaultText()),
                        setting.unit().isEmpty() ? "–" : setting.unit(),
                        setting.meaning(),
                        setting.change().text());
    }

    private static String services(Set<ServiceName> services) {
        return services.size() == ServiceName.values().length
                ? "all"
                : services.stream().sorted().map(ServiceName::text).collect(Collectors.joining(", "));
    }

    private static String code(String text) {
        return text.isEmpty() ? "–" : "`" + text + "`";
    }
}
