package dev.claimstream.process.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.context.ApplicationContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which changes of configuration files apply without a restart. */
final class SettingsReloadTest {
    private final List<String> applied = new ArrayList<>();

    @TempDir
    private Path folder = Path.of("");

    private ApplicationContext context = SettingsContext.ofCommand();

    @BeforeEach
    void configure() throws IOException {
        write("INFO", "best-fit");
        System.setProperty(SettingsFiles.CONFIG, folder.toString());
        context.close();
        context = SettingsContext.ofCommand();
    }

    @AfterEach
    void clear() {
        context.close();
        System.clearProperty(SettingsFiles.CONFIG);
    }

    private void write(String level, String policy) throws IOException {
        Files.writeString(
                folder.resolve("a.yml"),
                "claimstream: {log: {level: %s}, allocator: {policy: %s}}".formatted(level, policy));
    }

    private SettingsReload reload(boolean isOverridden) {
        return new SettingsReload(
                context.getEnvironment(),
                (name, value) -> applied.add(name + "=" + value.orElse("default")),
                _ -> isOverridden);
    }

    @Test
    void appliesChangedAndRemovedLevelOnce() throws IOException {
        try (var reload = reload(false)) {
            reload.poll();
            write("DEBUG", "first-fit");
            reload.poll();
            reload.poll();
            Files.writeString(folder.resolve("a.yml"), "claimstream.allocator.policy: first-fit");
            reload.poll();
        }
        assertThat(applied).containsExactly("claimstream.log.level=DEBUG", "claimstream.log.level=default");
    }

    /** The file of a ConfigMap can change between the start of a process and that of the reload. */
    @Test
    void appliesChangeDuringTheStart() throws IOException {
        write("DEBUG", "best-fit");
        try (var reload = reload(false)) {
            reload.poll();
        }
        assertThat(applied).containsExactly("claimstream.log.level=DEBUG");
    }

    @Test
    void keepsSettingsAfterMistakeInFile() throws IOException {
        try (var reload = reload(false)) {
            write("LOUD", "best-fit");
            reload.poll();
            Files.writeString(folder.resolve("a.yml"), "claimstream: {");
            reload.poll();
            assertThat(applied).isEmpty();
            write("WARN", "best-fit");
            reload.poll();
        }
        assertThat(applied).containsExactly("claimstream.log.level=WARN");
    }

    @Test
    void appliesValueOfPlaceholderAndContinuesAfterAFailure() throws IOException {
        try (var reload = new SettingsReload(context.getEnvironment(), this::applyOrFail, _ -> false)) {
            write("'${none:DEBUG}'", "best-fit");
            reload.poll();
            write("ERROR", "best-fit");
            reload.poll();
            write("WARN", "best-fit");
            reload.poll();
        }
        assertThat(applied).containsExactly("claimstream.log.level=DEBUG", "claimstream.log.level=WARN");
    }

    private void applyOrFail(String name, Optional<String> value) {
        if (value.equals(Optional.of("ERROR"))) {
            throw new IllegalStateException("this level fails");
        }
        applied.add(name + "=" + value.orElse("default"));
    }

    @Test
    void environmentOverridesChangedFile() throws IOException {
        try (var reload = reload(true)) {
            write("DEBUG", "best-fit");
            reload.poll();
        }
        assertThat(applied).isEmpty();
    }
}
