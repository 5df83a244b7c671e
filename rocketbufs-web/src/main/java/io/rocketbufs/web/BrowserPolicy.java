package io.rocketbufs.web;

import java.util.Map;

/**
 * The rules that protect an operator's page against other sites open in the same browser, and against names chosen by
 * clients.
 */
public final class BrowserPolicy {
    /**
     * Headers of the responses to well-formed requests. They prevent a browser from loading anything from other sites
     * and from executing text supplied by a client.
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
     * Returns the response to a request caused by another site's page. Returns null for any other request, and for a
     * link to the operator's page. The other site cannot read a response, but could measure how long it takes.
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
     * Returns whether a request that changes something was caused by a web page rather than by a program or a browser's
     * user. Browsers add {@code Origin} to requests caused by a page. Newer browsers also add {@code Sec-Fetch-Site} on
     * loopback addresses and over TLS.
     *
     * @param hasOrigin true if there is an {@code Origin} header
     * @param site value of the {@code Sec-Fetch-Site} header; empty if there is none
     */
    public static boolean isFromWebPage(boolean hasOrigin, String site) {
        return hasOrigin || !site.isEmpty() && !site.equals("none");
    }

    /**
     * Returns the value of the {@code WWW-Authenticate} header. It makes a browser ask its user for credentials, except
     * for requests by the page's own scripts.
     */
    public static String challenge(PageRequest request, String realm) {
        return request.acceptsOnlyJson() ? "Bearer realm=\"" + realm + "\"" : BasicCredentials.challenge(realm);
    }
}
