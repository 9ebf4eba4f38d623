package dev.claimstream.systemtests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.claimstream.agent.streams.AgentPublisher;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.wire.Telemetry;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the console page in a real browser, beside {@code up} with the mixed example. The test that stops {@code up} is the last one.
 * It writes a picture of each view to {@code target/page}, and with {@code -Dpage.pictures.write=true} those of the documentation.
 */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsolePageIT {
    private static final String READY = "Ctrl-C ends it";
    private static final Path PICTURES = Path.of("target", "page");
    private static final Path DOCUMENTED = Path.of("..", "console", "pictures");
    private static final String TELEMETRY = CommandResult.example("mixed-accelerators/telemetry.txt");
    private static final String NVIDIA = "gpu.nvidia.com";

    /** Views and a text that each of them shows. */
    private static final Map<String, String> VIEWS = new TreeMap<>(Map.ofEntries(
            Map.entry("#/", "Namespaces, most idle devices first"),
            Map.entry("#/cluster", "gpu-h100-1"),
            Map.entry("#/cluster?group=product&colour=used", "NVIDIA H100"),
            Map.entry("#/cluster?group=class", "gpu.amd.com"),
            Map.entry("#/claims", "llama-pretrain"),
            Map.entry("#/claim/research/too-big", "8 more gpu.nvidia.com on"),
            Map.entry("#/claim/training/llama-pretrain", "gpu-h100-2/gpu-7"),
            Map.entry("#/queue", "InsufficientDevicesPerNode"),
            Map.entry("#/usage", "Device hours"),
            Map.entry("#/usage?by=product&hours=1", "NVIDIA H100"),
            Map.entry("#/what-if", "The answer appears here"),
            Map.entry("#/device/gpu.nvidia.com/gpu-h100-2/gpu-0", "Past holders"),
            Map.entry("#/node/gpu-h100-2", "Allocatable"),
            Map.entry("#/search?q=h100-2", "gpu-h100-2"),
            Map.entry("#/claims?q=nothing-has-this-name", "No claim has these properties"),
            Map.entry("#/claim/research/deleted-long-ago", "There is no such claim")));

    /** Views and their texts in a cluster without nodes, devices and claims. */
    private static final Map<String, String> EMPTY_VIEWS = new TreeMap<>(Map.ofEntries(
            Map.entry("#/", "There is no claim."),
            Map.entry("#/cluster", "No driver has published a device"),
            Map.entry("#/claims", "There is no claim."),
            Map.entry("#/queue", "There is no claim."),
            Map.entry("#/usage", "No device was published in this time"),
            Map.entry("#/what-if", "The answer appears here"),
            Map.entry("#/node/gpu-h100-2", "There is no such node"),
            Map.entry("#/device/gpu.nvidia.com/gpu-h100-2/gpu-0", "No driver publishes such a device"),
            Map.entry("#/search?q=gpu", "Nothing found")));

    private Path folder = Path.of("");
    private Chromium chromium;
    private PageInspector pages;
    private Program up;
    private Endpoint endpoint;

    @BeforeAll
    void start(@TempDir Path temporary) throws IOException, InterruptedException {
        folder = temporary;
        Chromium.assumeInstalled();
        up = startUp(data(), "-f", CommandResult.example("mixed-accelerators"), "--telemetry", TELEMETRY);
        chromium = Chromium.start();
        up.awaitOut(READY);
        endpoint = Endpoint.of(Files.readString(Path.of(data(), "endpoint.json")));
        pages = new PageInspector(chromium, endpoint.console(), PICTURES);
    }

    private Program startUp(String data, String... args) throws IOException {
        List<String> all = new ArrayList<>(List.of("up", "--data", data, "--with", "history,simulator"));
        all.addAll(List.of(args));
        return Program.start(folder, all.toArray(String[]::new));
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

    private String data() {
        return folder.resolve("data").toString();
    }

    @Order(1)
    @ParameterizedTest
    @CsvSource({"1440, DARK", "390, LIGHT", "390, DARK"})
    @Tag("part-1")
    void showsEveryViewWithoutOverflowAndBarriers(int width, ColorScheme scheme) {
        showViews(VIEWS, width, scheme);
    }

    @Order(1)
    @Test
    void showsEveryLightWideViewWithoutOverflowAndBarriers() {
        showViews(VIEWS, 1440, ColorScheme.LIGHT);
        showViews(Map.of("#/usage", "Device hours"), 1440, ColorScheme.DARK); // as in its documented picture
    }

    private void showViews(Map<String, String> views, int width, ColorScheme scheme) {
        try (BrowserContext context = pages.window(width, scheme)) {
            Page page = pages.open(context, "#/");
            for (Map.Entry<String, String> view : views.entrySet()) {
                PageInspector.show(page, view.getKey(), view.getValue());
                pages.inspect(page, view.getKey(), width, scheme);
                pages.checkBarriers(page, view.getKey());
            }
        }
        pages.checkRequests();
    }

    @Order(2)
    @ParameterizedTest
    @ValueSource(
            strings = {
                "overview-1440-light.png",
                "claim-research-too-big-1440-light.png",
                "cluster-1440-light.png",
                "usage-1440-dark.png"
            })
    void documentedPicturesShowPage(String name) throws IOException {
        Path documented = DOCUMENTED.resolve(name);
        if (Boolean.getBoolean("page.pictures.write")) {
            Files.copy(PICTURES.resolve(name), documented, StandardCopyOption.REPLACE_EXISTING);
        }
        assertThat(PictureComparison.difference(documented, PICTURES.resolve(name)))
                .as("%s is out of date: run ConsolePageIT with -Dpage.pictures.write=true", documented)
                .isEmpty();
    }

    /** The names of the services follow the snapshot. Here the first stream ends between them. */
    @Order(3)
    @Test
    void firstViewWaitsForNamesOfServices() {
        var isFirst = new AtomicBoolean(true);
        try (BrowserContext context = pages.window(1440, ColorScheme.LIGHT)) {
            context.route("**/api/v1/live", route -> {
                if (isFirst.getAndSet(false)) {
                    route.fulfill(
                            new Route.FulfillOptions()
                                    .setContentType("text/event-stream")
                                    .setBody(
                                            "event: snapshot\ndata: {\"claims\":[],\"devices\":[],\"nodes\":[],\"pools\":[]}\n\n"));
                } else {
                    route.resume();
                }
            });
            PageInspector.awaitText(pages.open(context, "#/usage"), "Device hours");
        }
    }

    @Order(3)
    @Test
    void answersQuestionsOfFirstMinute() {
        try (BrowserContext context = pages.window(1440, ColorScheme.LIGHT)) {
            Page page = pages.open(context, "#/");
            Locator first =
                    page.locator("table[aria-label=Namespaces] tbody tr").first();
            assertThat(first).containsText("training");
            assertThat(first.locator("td").nth(1)).hasText("8");
            page.getByText("research/too-big").first().click();
            PageInspector.awaitText(page, "16 gpu.nvidia.com on one node, the largest has 8 in all");
            assertThat(page.locator(".funnel li.lost")).hasCount(1);
            page.keyboard().press("/");
            page.keyboard().type("gpu-h100-2");
            page.getByRole(AriaRole.LINK).getByText("gpu-h100-2").first().click();
            PageInspector.awaitText(page, "training/llama-pretrain");
        }
    }

    @Order(4)
    @Test
    void answersWhatIfAndNamesWhatIsMissing() {
        try (BrowserContext context = pages.window(1440, ColorScheme.LIGHT)) {
            Page page = pages.open(context, "#/what-if");
            Locator text = page.getByLabel("Claim or pod, as YAML");
            text.fill(claim("what-if", 2));
            page.getByText("Does it fit?").click();
            PageInspector.awaitText(page, "research/what-if");
            assertThat(page.locator(".outcomes .badge").first()).hasText("allocated");
            pages.inspect(page, "what-if-fits", 1440, ColorScheme.LIGHT);
            text.fill(claim("what-if", 16));
            page.getByText("Does it fit?").click();
            PageInspector.awaitText(page, "does not fit");
            PageInspector.awaitText(page, "the largest has 8 in all");
            pages.checkBarriers(page, "what-if");
            text.fill("kind: [");
            page.getByText("Does it fit?").click();
            PageInspector.awaitText(page, "No answer");
        }
    }

    private static String claim(String name, int count) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %s, namespace: research}
                spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: %s, count: %d}}]}}
                """.formatted(name, NVIDIA, count);
    }

    @Order(5)
    @Test
    @Tag("part-4")
    void showsPastOfDeletedClaim() throws IOException {
        Path file = Files.writeString(folder.resolve("short.yaml"), claim("short-lived", 1) + """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: short-lived, namespace: research}
                spec:
                  containers: [{name: main, image: training, resources: {claims: [{name: gpus}]}}]
                  resourceClaims: [{name: gpus, resourceClaimName: short-lived}]
                """);
        try (BrowserContext context = pages.window(1440, ColorScheme.DARK)) {
            Page page = pages.open(context, "#/claim/research/short-lived");
            assertThat(CommandResult.run("apply", "-f", file.toString(), "--data", data())
                            .exitCode())
                    .isZero();
            assertThat(page.locator("h1 .badge")).hasText("allocated,reserved");
            Locator bound = page.locator(".timeline li").nth(3);
            assertThat(bound).containsText("not yet: reserved for pod short-lived");
            bind(file, page.locator("a[href^='#/node/']").first().textContent());
            assertThat(bound).containsText(", pod short-lived on ");
            assertThat(bound.locator("time")).hasCount(1);
            String device = page.locator(".devices a").first().getAttribute("href");
            PageInspector.show(page, device, "allocated to research/short-lived");
            assertThat(page.locator(".events")).containsText("allocated to research/short-lived");
            PageInspector.show(page, "#/claim/research/short-lived", "allocated");
            assertThat(CommandResult.run("delete", "-f", file.toString(), "--data", data())
                            .exitCode())
                    .isZero();
            PageInspector.awaitText(page, "There is no such claim");
            for (int tries = 0; tries < 60 && !page.content().contains("claim-deleted"); tries++) {
                page.waitForTimeout(500);
                page.reload();
                PageInspector.awaitText(page, "There is no such claim");
                page.waitForTimeout(500);
            }
            assertThat(page.locator(".periods")).containsText("claim-deleted");
            Locator released = page.locator(".timeline li.done").last();
            assertThat(released).containsText("Released");
            assertThat(released).containsText(Pattern.compile("cleared|claim-deleted")); // either record may come first
            assertThat(released.locator("time")).hasCount(1);
            pages.inspect(page, "claim-deleted", 1440, ColorScheme.DARK);
            PageInspector.show(page, device, "Past holders");
            PageInspector.awaitText(page, "research/short-lived");
            assertThat(page.locator(".events")).containsText("released by research/short-lived");
            pages.inspect(page, "device-with-past", 1440, ColorScheme.DARK);
        }
    }

    /** Binds the pod of a file, as kube-scheduler does. */
    private void bind(Path file, String node) throws IOException {
        Path bound = Files.writeString(
                folder.resolve("bound.yaml"),
                Files.readString(file).replace("  containers:", "  nodeName: %s%n  containers:".formatted(node)));
        CommandResult applied = CommandResult.run("apply", "-f", bound.toString(), "--data", data());
        assertThat(applied.exitCode()).as(applied.err() + applied.out()).isZero();
    }

    @Order(6)
    @Test
    void showsAppliedClaimWithoutReload() throws IOException {
        Path file = Files.writeString(folder.resolve("claim.yaml"), """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: applied-later, namespace: research}
                spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}
                """);
        try (BrowserContext context = pages.window(1440, ColorScheme.DARK)) {
            Page page = pages.open(context, "#/claims?namespace=research");
            PageInspector.awaitText(page, "too-big");
            CommandResult applied = CommandResult.run("apply", "-f", file.toString(), "--data", data());
            assertThat(applied.exitCode()).as(applied.err() + applied.out()).isZero();
            PageInspector.awaitText(page, "applied-later");
            assertThat(CommandResult.run("delete", "resourceclaim", "applied-later", "-n", "research", "--data", data())
                            .exitCode())
                    .isZero();
            assertThat(page.locator("main")).not().containsText("applied-later");
        }
    }

    @Order(7)
    @Test
    void everythingComesFromDescribedApi() throws Exception {
        var answers = new DescribedAnswers(endpoint.console());
        assertThat(answers.check(pages.requests()))
                .contains(
                        "/api/v1/access",
                        "/api/v1/devices",
                        "/api/v1/events",
                        "/api/v1/namespaces/{namespace}/claims/{name}",
                        "/api/v1/namespaces/{namespace}/claims/{name}/explanation",
                        "/api/v1/namespaces/{namespace}/claims/{name}/nearest-changes",
                        "/api/v1/nodes",
                        "/api/v1/past/claims",
                        "/api/v1/past/holders",
                        "/api/v1/past/usage",
                        "/api/v1/queue",
                        "/api/v1/queue/findings",
                        "/api/v1/trends/nodes",
                        "/api/v1/trends/reasons",
                        "/api/v1/trends/telemetry");
        answers.checkSimulation(claim("what-if", 2) + "---\n" + claim("what-if-more", 16));
    }

    @Order(8)
    @Test
    void plotsTelemetryOfDeviceAndNode() throws IOException {
        try (BrowserContext context = pages.window(1440, ColorScheme.LIGHT)) {
            Page page = pages.open(context, "#/node/gpu-h100-2");
            assertThat(page.locator(".plot").first()).containsText("Utilisation, mean");
            assertThat(page.locator(".plot")).hasCount(3);
            pages.inspect(page, "node-with-plots", 1440, ColorScheme.LIGHT);
            PageInspector.show(page, "#/device/gpu.nvidia.com/gpu-h100-2/gpu-0", "Past holders");
            assertThat(page.locator(".plot")).hasCount(3);
            pages.inspect(page, "device-with-plots", 1440, ColorScheme.LIGHT);
        }
    }

    /** The history adds the telemetry of an hour when a sample of a later hour comes. */
    @Order(9)
    @Test
    void showsUsedAndIdleHoursOfEndedHour() throws IOException {
        try (var agent = new AgentPublisher(
                KafkaConnection.plain(endpoint.bootstrap()),
                new RestRegistry(RestRegistry.RegistrySettings.of(endpoint.registry())),
                "next-hour",
                System.currentTimeMillis())) {
            Instant nextHour = Instant.now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.SECONDS);
            assertThat(agent.publish(Optional.empty(), new Telemetry("next-hour", nextHour, List.of())))
                    .isTrue();
        }
        try (BrowserContext context = pages.window(1440, ColorScheme.LIGHT)) {
            Page page = pages.open(context, "#/usage?hours=1");
            Locator heads = page.locator("thead th");
            for (int tries = 0; tries < 60 && heads.count() < 5; tries++) {
                page.waitForTimeout(500);
                page.reload();
                PageInspector.awaitText(page, "Device hours");
                page.waitForTimeout(500);
            }
            assertThat(heads).hasText(new String[] {"Namespace", "Allocated", "Used", "Idle", "Cost"});
            List<Double> training = page
                    .locator("tr", new Page.LocatorOptions().setHasText("training"))
                    .locator("td")
                    .allTextContents()
                    .stream()
                    .map(Double::valueOf)
                    .toList();
            double measured = training.get(1) + training.get(2);
            assertThat(training).hasSize(4).allMatch(hours -> hours > 0);
            assertThat(training.get(2)).as("8 of 16 measured devices are idle").isGreaterThan(0.4 * measured);
            assertThat(measured).as("devices without telemetry do not count").isLessThan(training.getFirst());
            pages.inspect(page, "usage-with-telemetry", 1440, ColorScheme.LIGHT);
        }
    }

    @Order(10)
    @Test
    void showsTimesInZoneOfViewerWithUtcOnHover() {
        try (BrowserContext context = pages.windowIn("Asia/Kolkata", "en-GB")) {
            Page page = pages.open(context, "#/claim/training/llama-pretrain");
            Locator time = page.locator(".timeline time").first();
            String utc = time.getAttribute("datetime");
            assertThat(utc).endsWith("Z");
            assertThat(time).hasAttribute("title", utc + " (UTC)");
            assertThat(time)
                    .hasText(DateTimeFormatter.ofPattern("d MMM yyyy, HH:mm:ss", Locale.UK)
                            .format(Instant.parse(utc).atZone(ZoneId.of("Asia/Kolkata"))));
        }
    }

    @Order(11)
    @Test
    @Tag("part-3")
    void showsEveryViewWithoutRows() throws IOException, InterruptedException {
        Path empty = folder.resolve("empty");
        try (Program other = startUp(empty.toString())) {
            other.awaitOut(READY);
            URI console = Endpoint.of(Files.readString(empty.resolve("endpoint.json")))
                    .console();
            var emptyPages = new PageInspector(chromium, console, PICTURES.resolve("empty"));
            for (int width : new int[] {1440, 390}) {
                for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
                    try (BrowserContext context = emptyPages.window(width, scheme)) {
                        Page page = emptyPages.open(context, "#/");
                        for (Map.Entry<String, String> view : EMPTY_VIEWS.entrySet()) {
                            PageInspector.show(page, view.getKey(), view.getValue());
                            emptyPages.inspect(page, view.getKey(), width, scheme);
                            emptyPages.checkBarriers(page, view.getKey());
                        }
                    }
                }
            }
            emptyPages.checkRequests();
        }
    }

    @Order(12)
    @Test
    @Tag("part-2")
    void showsLossOfConsoleAndRecovers() throws IOException, InterruptedException {
        try (BrowserContext context = pages.window(1440, ColorScheme.LIGHT)) {
            Page page = pages.open(context, "#/claims");
            PageInspector.awaitText(page, "too-big");
            up.kill();
            up.awaitEnd();
            Locator stale = page.locator("#stale");
            assertThat(stale).containsText("Stale since");
            PageInspector.awaitText(page, "too-big");
            up = startUp(data(), "--port", Integer.toString(endpoint.console().getPort()));
            up.awaitOut(READY);
            assertThat(stale).isHidden(new LocatorAssertions.IsHiddenOptions().setTimeout(PageInspector.PATIENCE_MS));
            PageInspector.awaitText(page, "too-big");
        }
    }
}
