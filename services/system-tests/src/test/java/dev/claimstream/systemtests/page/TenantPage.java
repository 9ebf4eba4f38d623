package dev.claimstream.systemtests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;

/** Checks of the page of a console that reviews its users. The browser's requests have a token, as a proxy with a login sends it. */
public final class TenantPage {
    private TenantPage() {}

    /**
     * Checks that a user of one namespace sees its claims, and 403 instead of a claim of another namespace.
     *
     * @param user name of the user in Kubernetes
     * @param claim a part of the name of a claim in the own namespace
     */
    public static void check(URI console, String token, String user, String own, String claim, String other)
            throws IOException {
        if (!Chromium.isTried()) {
            return; // the test around it goes on without a browser
        }
        try (Chromium chromium = Chromium.start()) {
            var pages = new PageInspector(chromium, console, Path.of("target", "page", "tenant"));
            for (ColorScheme scheme : new ColorScheme[] {ColorScheme.LIGHT, ColorScheme.DARK}) {
                for (int width : new int[] {1440, 390}) {
                    try (BrowserContext context = pages.window(width, scheme)) {
                        context.setExtraHTTPHeaders(Map.of("Authorization", "Bearer " + token));
                        check(pages, pages.open(context, "#/claims"), width, scheme, user, own, claim, other);
                    }
                }
            }
            pages.checkRequests();
        }
    }

    private static void check(
            PageInspector pages,
            Page page,
            int width,
            ColorScheme scheme,
            String user,
            String own,
            String claim,
            String other) {
        PageInspector.awaitText(page, claim);
        PageInspector.show(page, "#/claim/%s/secret".formatted(other), "403: another namespace");
        assertThat(page.locator("main"))
                .containsText("User %s may not list the claims of namespace %s. It may list those of %s."
                        .formatted(user, other, own));
        pages.inspect(page, "forbidden", width, scheme);
        pages.checkBarriers(page, "forbidden");
        PageInspector.show(page, "#/", "your user may not read /metrics");
        pages.inspect(page, "overview", width, scheme);
        PageInspector.show(page, "#/claims", claim);
    }
}
