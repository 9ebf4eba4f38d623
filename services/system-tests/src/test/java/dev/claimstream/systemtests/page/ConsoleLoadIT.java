package dev.claimstream.systemtests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the console page on the topics that {@code up} records for 1,250 nodes with 10,000 devices, and 1,500 claims with their pods.
 * Pictures are in {@code target/page/load}.
 */
@Tag("part-3")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleLoadIT {
    private static final int NODES = 1250;
    private static final int CLAIMS = 1500;
    private static final int WIDE = 1440;
    private static final double PATIENCE_MS = Duration.ofMinutes(2).toMillis();

    /** The figure of the overview when every claim that fits is allocated. */
    private static final String ALLOCATED = String.format(
            Locale.US,
            "%,d of %,d devices",
            GpuFleetManifests.allocatedDevices(CLAIMS),
            NODES * GpuFleetManifests.DEVICES);

    /** Views and a text that each of them shows. */
    private static final Map<String, String> VIEWS = new TreeMap<>(Map.ofEntries(
            Map.entry("#/", "NVIDIA H100 80GB HBM3"),
            Map.entry("#/cluster", "node-1249"),
            Map.entry("#/cluster?group=rack", "rack-78"),
            Map.entry("#/cluster?group=class", "of 10,000 free"),
            Map.entry("#/claims", "training-1"),
            Map.entry("#/queue", "Directly behind"),
            Map.entry("#/usage?hours=1", "Device hours"),
            Map.entry("#/what-if", "The answer appears here"),
            Map.entry("#/claim/team-9/training-9", "Where the search loses the candidates"),
            Map.entry("#/device/gpu.example.com/node-0007/gpu-0", "Past holders"),
            Map.entry("#/node/node-0007", "gpu.example.com")));

    private Chromium chromium;
    private PageInspector pages;
    private Page page;
    private Program up;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException, InterruptedException {
        Chromium.assumeInstalled();
        Path objects = GpuFleetManifests.write(folder.resolve("fleet.yaml"), NODES, CLAIMS);
        Path data = folder.resolve("data");
        up = Program.start(
                folder, "up", "--data", data.toString(), "--with", "history,simulator", "-f", objects.toString());
        chromium = Chromium.start();
        up.awaitOut("Ctrl-C ends it");
        pages = new PageInspector(
                chromium,
                Endpoint.of(Files.readString(data.resolve("endpoint.json"))).console(),
                Path.of("target", "page", "load"));
        PlaywrightAssertions.setDefaultAssertionTimeout(
                PATIENCE_MS); // the allocator decides 1,500 claims at the same time
        page = pages.open(pages.window(WIDE, ColorScheme.LIGHT), "#/");
        PageInspector.awaitText(page, ALLOCATED); // the pictures show a cluster in use
    }

    @AfterAll
    void stop() {
        if (chromium != null) {
            chromium.close();
        }
        if (up != null) {
            up.close();
        }
    }

    static Stream<Arguments> windows() {
        return Stream.of(WIDE, 390)
                .flatMap(width ->
                        VIEWS.entrySet().stream().map(view -> Arguments.of(width, view.getKey(), view.getValue())));
    }

    /** One window shows all views in both colour schemes: it takes long to load and draw 10,000 devices. */
    @ParameterizedTest(name = "{0} px, {1}")
    @MethodSource("windows")
    void showsViewOfLargeClusterWithoutOverflow(int width, String view, String text) {
        boolean hasOtherGroups = view.contains("group="); // other groups have the same cells, and axe is slow
        pages.resize(page, width, ColorScheme.LIGHT);
        PageInspector.show(page, view, text);
        pages.inspect(page, view, width, ColorScheme.LIGHT);
        if (width == WIDE || !hasOtherGroups) {
            pages.checkBarriers(page, view);
        }
        pages.resize(page, width, ColorScheme.DARK);
        pages.inspect(page, view, width, ColorScheme.DARK);
        if (!hasOtherGroups) {
            pages.checkColours(page, view);
        }
        pages.checkRequests();
    }

    @Test
    void reachesLastDeviceByKeyboard() {
        try (BrowserContext context = pages.window(WIDE, ColorScheme.LIGHT)) {
            Page cluster = pages.open(context, "#/cluster");
            assertThat(cluster.locator(".cell[href]"))
                    .hasCount(
                            NODES * GpuFleetManifests.DEVICES,
                            new LocatorAssertions.HasCountOptions().setTimeout(PageInspector.PATIENCE_MS));
            cluster.locator(".cell[tabindex='0']").focus();
            cluster.keyboard().press("ArrowRight");
            assertThat(cluster.locator("#main :focus"))
                    .hasAttribute("href", "#/device/gpu.example.com/node-0000/gpu-1");
            cluster.locator(".cell[href='#/device/gpu.example.com/node-1249/gpu-6']")
                    .focus();
            cluster.keyboard().press("ArrowRight");
            cluster.keyboard().press("Enter");
            PageInspector.awaitText(cluster, "gpu-7");
            assertThat(cluster.locator("h1")).containsText("gpu-7");
        }
    }
}
