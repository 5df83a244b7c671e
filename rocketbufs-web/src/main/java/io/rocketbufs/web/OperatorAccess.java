package io.rocketbufs.web;

import io.netty.handler.codec.http.HttpRequest;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Access control for pages that only operators may read, such as the metrics. If a token is set, only clients that
 * present the token may read these pages. Otherwise, only clients on this machine may read them.
 *
 * <p>Programs present the token as a bearer token. A browser asks its user for a name and a password (HTTP Basic); the
 * password is the token, and the name is not checked.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class OperatorAccess {
    /** Path of the metrics. */
    public static final String METRICS = "/metrics";

    private final BearerTokens tokens;
    private final String key;
    private final String page;
    private final Predicate<String> isRestricted;

    /**
     * Creates the access control for the given token.
     *
     * @param token token that clients must present; empty if no token is required
     * @param key configuration key of the token, named in error messages
     * @param page path of the operator's page, which is the only page to which other sites can link
     * @param isRestricted returns true for each path, in addition to {@link #METRICS}, that only operators may read
     */
    public OperatorAccess(String token, String key, String page, Predicate<String> isRestricted) {
        this.tokens = new BearerTokens(token.isEmpty() ? List.of() : List.of(token));
        this.key = key;
        this.page = page;
        this.isRestricted = isRestricted;
    }

    /**
     * Returns the response to a client that may not read a page, or null if the client may read the page. Any client
     * may read an unrestricted page. A request for a restricted page is also refused if its URL is malformed or if
     * another site has caused the request.
     */
    public Page refusal(String path, HttpRequest request, SocketAddress peer) {
        if (!path.equals(METRICS) && !isRestricted.test(path)) {
            return null;
        }
        PageRequest asked = PageRequest.of(request);
        Page refusal = asked == null ? Page.text(400, "malformed URL") : refusal(asked, peer);
        return refusal == null ? null : refusal.with(BrowserPolicy.HEADERS);
    }

    private Page refusal(PageRequest request, SocketAddress peer) {
        // Checked first, because a browser also adds a password to requests caused by other sites.
        Page refusalOfSite = BrowserPolicy.refusalOfOtherSite(request, page);
        if (refusalOfSite != null) {
            return refusalOfSite;
        }
        if (!tokens.isEmpty()) {
            return refusalOfToken(request);
        }
        boolean isLocal = peer instanceof InetSocketAddress address
                && address.getAddress().isLoopbackAddress();
        return isLocal ? null : Page.text(403, "available only on this machine, because " + key + " is not set");
    }

    private Page refusalOfToken(PageRequest request) {
        String presented = request.authorization();
        BasicCredentials basic = request.basicCredentials();
        if (basic == null ? tokens.admits(presented) : tokens.includes(basic.password())) {
            return null;
        }
        if (basic == null && !presented.isEmpty()) {
            return Page.text(403, key + " is required as a bearer token");
        }
        String reason = basic == null
                ? key + " is required as a bearer token, or in a browser as the password"
                : "the password is not the token that " + key + " sets";
        // After any status other than 401, a browser would present the same password until the user closes the browser.
        return Page.text(401, reason).with(Map.of("WWW-Authenticate", BrowserPolicy.challenge(request, key)));
    }
}
