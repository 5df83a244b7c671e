package io.rocketbufs.web;

import java.util.Map;

/**
 * The rules by which an operator's page is protected against other sites that the same browser shows, and against names
 * that clients choose.
 */
public final class BrowserPolicy {
    /**
     * Headers of the responses to well-formed requests, so that a browser loads nothing from elsewhere and runs no text
     * of a client.
     */
    public static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for"
                    + " 'script'; trusted-types 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Resource-Policy",
            "same-origin");

    private BrowserPolicy() {}

    /**
     * Returns the response to a request that a page of another site has caused; null to any other request, and to a
     * link to the operator's page. The site cannot read the response, but it could measure how long the response takes.
     *
     * @param page path of the operator's page
     */
    public static Page refusalOfOtherSite(PageRequest request, String page) {
        boolean isLink = request.isNavigation() && request.path().equals(page);
        return request.isFromOtherSite() && !isLink
                ? Page.text(403, "pages of other sites can link to the page for operators, and not to other resources")
                : null;
    }

    /**
     * Returns true if a web page has caused a request that changes something, rather than a program or the user of a
     * browser. Browsers add {@code Origin} to such requests, and newer ones {@code Sec-Fetch-Site} on loopback
     * addresses and over TLS.
     *
     * @param hasOrigin true if there is an {@code Origin} header
     * @param site value of the {@code Sec-Fetch-Site} header; empty if there is none
     */
    public static boolean isFromWebPage(boolean hasOrigin, String site) {
        return hasOrigin || !site.isEmpty() && !site.equals("none");
    }

    /**
     * Returns the value of the {@code WWW-Authenticate} header after which a browser asks its user for credentials,
     * except for the requests of the page's own scripts.
     */
    public static String challenge(PageRequest request, String realm) {
        return request.acceptsOnlyJson() ? "Bearer realm=\"" + realm + "\"" : BasicCredentials.challenge(realm);
    }
}
