package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the files of the page, its stream and its protection, on a real server. */
@Timeout(30)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PageTest {
    private static final int BYTES_MAX = 400_000;

    private final SmallCluster cluster = SmallCluster.ofOneNode();
    private final RunningConsole console = RunningConsole.start(cluster.view);
    private final HttpClient http = HttpClient.newHttpClient();
    private final URI url = console.url();

    @BeforeAll
    void start() {
        cluster.upsert(SmallCluster.claim("a"));
        cluster.allocate("a", "gpu-0");
    }

    @AfterAll
    void stop() {
        http.close();
        console.close();
    }

    private static String link(String index, String name) {
        return index.lines()
                .flatMap(line -> Stream.of(line.split("\"", -1)))
                .filter(text -> text.startsWith("page/") && text.endsWith("/" + name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void servesDocumentThatIsAskedForAgain() throws Exception {
        var page = console.get("/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("Cache-Control")).hasValue("no-cache");
        String tag = page.headers().firstValue("ETag").orElseThrow();
        var again = console.get("/", "If-None-Match", tag);
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
    }

    @Test
    void servesFilesThatAreKept() throws Exception {
        String index = console.get("/").body();
        var script = console.get("/" + link(index, "main.js"));
        assertThat(script.headers().firstValue("Content-Type")).hasValue("text/javascript; charset=utf-8");
        assertThat(script.headers().firstValue("Cache-Control")).hasValue("public, max-age=31536000, immutable");
        assertThat(script.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
        assertThat(console.get("/" + link(index, "style.css")).headers().firstValue("Content-Type"))
                .hasValue("text/css; charset=utf-8");
        assertThat(console.get("/" + link(index, "icon.svg")).headers().firstValue("Content-Type"))
                .hasValue("image/svg+xml; charset=utf-8");
        var old = console.get("/page/0123456789ab/main.js");
        assertThat(old.statusCode()).isEqualTo(404);
        assertThat(old.body()).contains("load the page again");
    }

    @Test
    void permitsOnlyOwnScriptsAndStyles() throws Exception {
        var page = console.get("/");
        assertThat(page.headers().firstValue("Content-Security-Policy"))
                .hasValueSatisfying(policy -> assertThat(policy)
                        .startsWith("default-src 'none'; script-src 'self'; style-src 'self';")
                        .doesNotContain("unsafe", "http", "*"));
        assertThat(page.body()).doesNotContain("<script>", "<style", "style=", "onclick", "http:", "https:");
    }

    @Test
    void shipsAllFilesInFewBytes() throws IOException {
        List<String> names;
        try (Stream<Path> files = Files.list(Path.of("src", "main", "resources", "page"))) {
            names = files.map(file -> file.getFileName().toString()).toList();
        }
        assertThat(PageAssets.NAMES).containsExactlyInAnyOrderElementsOf(names);
        var bytes = new ByteArrayOutputStream();
        try (var zip = new GZIPOutputStream(bytes)) {
            for (byte[] file : PageAssets.shipped().files().values()) {
                zip.write(file);
            }
        }
        assertThat(bytes.size()).isLessThan(BYTES_MAX);
    }

    @ParameterizedTest
    @CsvSource({
        "Sec-Fetch-Site, cross-site, 403",
        "Sec-Fetch-Site, same-site, 403",
        "Sec-Fetch-Site, same-origin, 200",
        "Sec-Fetch-Site, none, 200",
        "Origin, http://localhost:1, 403",
        "Origin, http://127.0.0.1:1, 403"
    })
    void rejectsChangesOfOtherPages(String header, String value, int status) throws Exception {
        var request = HttpRequest.newBuilder(url.resolve("/api/v1/delete"))
                .header("Content-Type", "application/yaml")
                .header(header, value)
                .POST(HttpRequest.BodyPublishers.ofString(SmallCluster.NODE));
        var response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(status);
        if (status != 200) {
            assertThat(response.body())
                    .contains("\"remedy\":\"send it from the console's own page or from a program\"");
        }
    }

    @Test
    void acceptsChangeOfOwnOrigin() throws Exception {
        var request = HttpRequest.newBuilder(url.resolve("/api/v1/delete"))
                .header("Content-Type", "application/yaml")
                .header("Origin", "http://" + url.getAuthority())
                .POST(HttpRequest.BodyPublishers.ofString(SmallCluster.NODE));
        assertThat(http.send(request.build(), HttpResponse.BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void streamsSnapshotThenDifferences() throws Exception {
        try (var stream = new LiveEventReader(http, url)) {
            String snapshot = stream.next("snapshot");
            assertThat(snapshot)
                    .contains(
                            "\"key\":\"default/a\"",
                            "\"classes\":[\"gpu.example.com\"]",
                            "\"key\":\"gpu.example.com/node-1/gpu-0\"",
                            "\"product\":\"A\"",
                            "\"key\":\"node-1\"",
                            "\"state\":\"complete\"")
                    .doesNotContain("attributes");
            assertThat(stream.next("status")).contains("\"reading\":true");
            cluster.upsert(SmallCluster.claim("live"));
            cluster.setPending("live");
            assertThat(stream.next("change"))
                    .contains("\"changed\":{\"claims\":[{", "\"name\":\"live\"")
                    .doesNotContain("\"devices\":[{\"c", "default/a");
            cluster.allocate("live", "gpu-1");
            assertThat(stream.next("change")).contains("\"key\":\"gpu.example.com/node-1/gpu-1\"");
            cluster.delete(Kind.RESOURCE_CLAIM, SmallCluster.key("live"));
            assertThat(stream.next("change")).contains("\"removed\":{\"claims\":[\"default/live\"]");
        }
    }

    @Test
    void limitsStreamsOfAllClients() throws Exception {
        try (var few = RunningConsole.start(
                        cluster.view,
                        Map.of("claimstream.console.streams-max", 2, "claimstream.console.streams-per-client-max", 3));
                var first = new LiveEventReader(http, few.url())) {
            try (var second = new LiveEventReader(http, few.url())) {
                second.next("snapshot");
                var rejected = few.get("/api/v1/live");
                assertThat(rejected.statusCode()).isEqualTo(429);
                assertThat(rejected.body())
                        .contains("the console has 2 streams, the maximum", "raise claimstream.console.streams-max");
            }
            awaitFreeStream(few);
            first.next("snapshot");
        }
    }

    /** A closed stream counts until the server notices it. */
    private void awaitFreeStream(RunningConsole console) throws Exception {
        int status = 429;
        for (int tries = 0; tries < 100 && status == 429; tries++) {
            TimeUnit.MILLISECONDS.sleep(100);
            HttpResponse<InputStream> response = http.send(
                    HttpRequest.newBuilder(console.url().resolve("/api/v1/live"))
                            .build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            status = response.statusCode();
            response.body().close();
        }
        assertThat(status).isEqualTo(200);
    }

    @Test
    void limitsStreamsPerClient() throws Exception {
        List<LiveEventReader> streams = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                streams.add(new LiveEventReader(http, url));
            }
            var rejected = console.get("/api/v1/live");
            assertThat(rejected.statusCode()).isEqualTo(429);
            assertThat(rejected.body()).contains("has 20 streams, the maximum", "close other windows");
        } finally {
            for (LiveEventReader stream : streams) {
                stream.close();
            }
        }
    }
}
