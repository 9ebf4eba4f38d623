package dev.claimstream.systemtests.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.IgnoredFeatureGate;
import dev.claimstream.dra.KubernetesVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the README of the command line lists every gate without effect and every locked gate. */
class GatesPageTest {
    private static final Pattern NAME = Pattern.compile("`([A-Z][A-Za-z]+)`");

    @Test
    void tableListsGatesWithoutEffect() throws IOException {
        assertThat(names(section()
                        .lines()
                        .filter(line -> line.startsWith("| `"))
                        .map(line -> line.substring(0, line.indexOf(" | ")))
                        .collect(Collectors.joining())))
                .isEqualTo(Arrays.stream(IgnoredFeatureGate.values())
                        .map(IgnoredFeatureGate::gate)
                        .collect(Collectors.toSet()));
    }

    @Test
    void pageNamesLockedGates() throws IOException {
        String section = section();
        String locked =
                section.substring(section.indexOf("A gate that a release locks"), section.indexOf("These gates have"));
        int inBoth = locked.indexOf(" in both,");
        assertThat(names(locked.substring(0, inBoth))).isEqualTo(locked(KubernetesVersion.V1_36));
        assertThat(names(locked)).isEqualTo(locked(KubernetesVersion.V1_37));
    }

    @Test
    void pageNamesGatesThatAreOffByDefault() throws IOException {
        String section = section();
        String off = section.substring(section.indexOf("Off by default"), section.indexOf("All others are on"));
        int onlyOld = off.indexOf("In 1.36 only");
        assertThat(names(off.substring(0, onlyOld))).isEqualTo(offByDefault(KubernetesVersion.V1_37));
        assertThat(names(off)).isEqualTo(offByDefault(KubernetesVersion.V1_36));
    }

    private static Set<String> offByDefault(KubernetesVersion version) {
        return Arrays.stream(Feature.values())
                .filter(each -> !each.isEnabledByDefault(version))
                .map(Feature::gate)
                .collect(Collectors.toSet());
    }

    private static Set<String> locked(KubernetesVersion version) {
        return Arrays.stream(Feature.values())
                .filter(each -> each.isLocked(version))
                .map(Feature::gate)
                .collect(Collectors.toSet());
    }

    private static Set<String> names(String text) {
        return NAME.matcher(text).results().map(GatesPageTest::name).collect(Collectors.toSet());
    }

    private static String name(MatchResult found) {
        return found.group(1);
    }

    private static String section() throws IOException {
        String page = Files.readString(Path.of("..", "cli", "README.md"));
        return Stream.of(page.split("\n## "))
                .filter(section -> section.startsWith("Feature gates\n"))
                .findFirst()
                .orElseThrow();
    }
}
