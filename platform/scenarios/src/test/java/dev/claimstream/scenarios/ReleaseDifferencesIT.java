package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.manifests.tree.Node;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.selectors.Evaluation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The page of differences between Kubernetes 1.36 and 1.37, row by row: each names a scenario, of which upstream 1.37 says what it expects (as
 * {@link SavedScenariosIT} sees) and upstream 1.36 what its second line says, or says itself why it has none.
 */
class ReleaseDifferencesIT {
    private static final Path PAGE = Path.of("DIFFERENCES.md");
    private static final String HEADING = "## 1.36 and 1.37";
    private static final Pattern NAMED = Pattern.compile("`versions/([a-z0-9-]+)`");
    private static final String SAID = "# 1.36: ";

    @Test
    void upstreamOf136SaysWhatTheScenariosSayOfIt() throws IOException {
        List<Saved> saved = Saved.ofReleases();
        List<Decision> decisions = SavedScenariosIT.decisions(saved, KubernetesVersion.V1_36);
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < saved.size(); i++) {
            String said = said(saved.get(i));
            if (!is(decisions.get(i), said)) {
                wrong.add("%s: 1.36 is said to answer '%s' and answers %s"
                        .formatted(saved.get(i), said, decisions.get(i)));
            }
        }
        assertThat(saved).isNotEmpty();
        assertThat(wrong).isEmpty();
        assertThat(saved)
                .allSatisfy(each -> assertThat(Comparison.of(each.scenario(), decisions.get(saved.indexOf(each))))
                        .as("%s: 1.36 agrees with 1.37", each)
                        .isPresent());
    }

    private static String said(Saved saved) throws IOException {
        return Files.readAllLines(saved.file()).stream()
                .filter(line -> line.startsWith(SAID))
                .map(line -> line.substring(SAID.length()))
                .findFirst()
                .orElse("");
    }

    private static boolean is(Decision decision, String said) {
        return switch (decision) {
            case Decision.Fits _ -> said.equals("fits") || said.equals("fits, with another result");
            case Decision.DoesNotFit _ -> said.equals("does not fit");
            case Decision.Fails fails ->
                said.startsWith("error: ") && fails.wordings().getFirst().contains(said.substring("error: ".length()));
            case Decision.Undecided _ -> false;
        };
    }

    @Test
    void everyRowOfThePageNamesItsScenarioOrSaysWhyItHasNone() throws IOException {
        List<String> rows = rows();
        assertThat(rows)
                .hasSizeGreaterThan(8)
                .allSatisfy(row ->
                        assertThat(row).containsPattern("`versions/[a-z0-9-]+`|`ReleaseDifferencesIT`|not shown: "));
        List<String> named = rows.stream()
                .flatMap(row -> NAMED.matcher(row).results().map(found -> found.group(1)))
                .toList();
        assertThat(named)
                .containsExactlyInAnyOrderElementsOf(Saved.ofReleases().stream()
                        .map(each -> each.scenario().name())
                        .toList());
    }

    private static List<String> rows() throws IOException {
        String page = Files.readString(PAGE);
        return page.substring(page.indexOf(HEADING))
                .lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| what"))
                .toList();
    }

    @Test
    void includesCostsAndTakesWhatThePageSays() {
        assertThat(includes(KubernetesVersion.V1_36, 48)).isEqualTo("1");
        assertThat(includes(KubernetesVersion.V1_37, 48)).isEqualTo("48");
        assertThat(includes(KubernetesVersion.V1_36, 49)).contains("cannot be applied to lists longer than 48 values");
        assertThat(includes(KubernetesVersion.V1_37, 49)).isEqualTo("49");
        Evaluation ours = new CelSelectors()
                .evaluate(among(49), "gpu.example.com", Device.of("gpu-0", new TreeMap<>(), new TreeMap<>()));
        assertThat(ours.cost()).isEqualTo(49);
    }

    /** Whether a number is among so many others. */
    private static String among(int others) {
        return IntStream.range(0, others).mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"))
                + ".includes(-1)";
    }

    /** What that costs, or why it fails. */
    private static String includes(KubernetesVersion release, int others) {
        String line = Tree.mapping(fields -> fields.put("name", "includes")
                        .put("expression", among(others))
                        .put("driver", "gpu.example.com")
                        .put("features", Tree.mapping(gates -> gates.put("DRAListTypeAttributes", Tree.of(true))))
                        .put("device", Tree.mapping(device -> device.put("name", "gpu-0"))))
                .json();
        try (Upstream upstream = Upstream.start(release, "match")) {
            Node.Mapping answer = upstream.ask(List.of(line)).getFirst();
            return answer.text("error").or(() -> answer.text("cost")).orElse("");
        }
    }
}
