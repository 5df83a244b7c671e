package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.settings.ReloadedFiles;
import io.rocketbufs.text.PlainText;
import io.rocketbufs.web.BasicCredentials;
import io.rocketbufs.web.BrowserPolicy;
import io.rocketbufs.web.HostCheck;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.PageRequest;
import io.rocketbufs.web.PageServer;
import io.rocketbufs.web.TlsIdentity;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP server for the broker's admin pages, with or without TLS. If the broker has users, clients of a non-loopback
 * address must present an administrator's token. Where no token is required, the host in the URL must be one that no
 * other site can use; see {@link HostCheck}. The health pages are open to everyone.
 *
 * <p>Programs send the token as a bearer token. Browsers prompt for a name and a token and send both with every later
 * request (HTTP Basic), including requests triggered by a page of another site. A request with Basic credentials may
 * therefore only read; another site cannot see the response.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its socket, its certificate and a few threads named
 * {@code rbmq-admin}.
 */
final class Admin implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Admin.class);
    private static final String TLS = "rbmq.admin.tls";
    private static final String REALM = "RBMQ broker";
    private static final String REMEDY = "present an administrator's bearer token (Authorization: Bearer TOKEN), or"
            + " add the name to rbmq.admin.hosts";

    private final Supplier<Users> users;
    private final RefusalCounts refusals;
    private final AdminPages pages;
    private final boolean isLocal;
    private final HostCheck hosts;
    /** The certificate and key; null without TLS. */
    private final TlsIdentity identity;

    private final PageServer server;

    private Admin(
            InetSocketAddress address,
            HostCheck hosts,
            TlsIdentity identity,
            Supplier<Users> users,
            RefusalCounts refusals,
            AdminPages pages) {
        this.isLocal = !address.isUnresolved() && address.getAddress().isLoopbackAddress();
        this.hosts = hosts;
        this.users = users;
        this.refusals = refusals;
        this.pages = pages;
        this.identity = identity;
        this.server = PageServer.open("rbmq-admin", address, "rbmq.admin.port", identity, this::page);
    }

    /**
     * Starts listening and serving.
     *
     * @throws TransportException when the address cannot be used
     */
    static Admin open(AdminSettings settings, Supplier<Users> users, RefusalCounts refusals, AdminPages pages) {
        TlsIdentity identity = settings.tls() == null ? null : TlsIdentity.load(settings.tls());
        List<String> ownNames = new ArrayList<>(settings.hosts());
        ownNames.add(settings.host());
        try {
            return new Admin(settings.resolve(), new HostCheck(ownNames), identity, users, refusals, pages);
        } catch (RuntimeException | Error e) {
            close(identity);
            throw e;
        }
    }

    /** Rereads the certificate, if there is one; see {@link TlsIdentity#reload}. */
    ReloadedFiles reloadFiles() {
        return identity == null ? ReloadedFiles.NONE : identity.reload(TLS);
    }

    /** Logs a warning if the certificate is about to expire or has expired. */
    void warnOfExpiry() {
        if (identity != null) {
            identity.warnOfExpiry(TLS);
        }
    }

    /**
     * Returns the time in seconds until the certificate expires. The result is negative once the certificate has
     * expired, and NaN if there is none.
     */
    double certificateExpirySeconds() {
        return identity == null ? Double.NaN : identity.expirySeconds();
    }

    InetSocketAddress address() {
        return server.address();
    }

    private CompletionStage<Page> page(PageRequest request) {
        Page refusal = request.path().matches("/health(/.*)?") ? null : refusal(request, users.get());
        if (refusal != null) {
            refusals.count(RefusalCounts.Reason.ADMIN);
            return CompletableFuture.completedFuture(refusal.with(BrowserPolicy.HEADERS));
        }
        return pages.page(request).thenApply(page -> page.with(BrowserPolicy.HEADERS));
    }

    /** Returns the response that refuses a request; null if the request is allowed. */
    private Page refusal(PageRequest request, Users known) {
        Page refusalOfSite = BrowserPolicy.refusalOfOtherSite(request, "/");
        if (refusalOfSite != null) {
            return refusalOfSite;
        }
        if (!isLocal && !known.isEmpty()) {
            return refusalOfToken(request, known);
        }
        boolean isForeign = hosts.isForeign(request.host()) && !presentsAdministratorsToken(request, known);
        return isForeign ? Page.text(403, HostCheck.refusal(request.host(), REMEDY)) : null;
    }

    private static boolean presentsAdministratorsToken(PageRequest request, Users known) {
        String token = request.bearerToken();
        UserSettings user = token.isEmpty() ? null : known.settingsOf(token.getBytes(StandardCharsets.UTF_8));
        return user != null && user.admin();
    }

    /**
     * Returns the response that refuses a request without valid administrator credentials; null if the request is
     * allowed.
     */
    private static Page refusalOfToken(PageRequest request, Users known) {
        BasicCredentials basic = request.basicCredentials();
        String token = basic == null ? request.bearerToken() : basic.password();
        if (token.isEmpty()) {
            return challenge(
                    request,
                    "an administrator's token is required (Authorization: Bearer TOKEN, or in a browser the"
                            + " user's name and the token)");
        }
        UserSettings user = known.settingsOf(token.getBytes(StandardCharsets.UTF_8));
        if (user == null) {
            return challenge(request, "the token is not valid");
        }
        if (basic != null && user.name() != null && !user.name().equals(basic.user())) {
            return challenge(request, "the token does not belong to user " + PlainText.quoted(basic.user()));
        }
        if (!user.admin()) {
            String reason = user.describe() + " is not an administrator; set admin = true in the broker's rbmq.users";
            // After any status other than 401, a browser keeps sending the same token until the browser is closed.
            return basic == null ? Page.text(403, reason) : challenge(request, reason);
        }
        return basic != null && request.isPost()
                ? Page.text(403, "this request needs a bearer token (Authorization: Bearer TOKEN)")
                : null;
    }

    /**
     * Returns a 401 response, which makes a browser prompt for credentials unless one of the page's own scripts sent
     * the request.
     */
    private static Page challenge(PageRequest request, String reason) {
        return Page.text(401, reason).with(Map.of("WWW-Authenticate", BrowserPolicy.challenge(request, REALM)));
    }

    @Override
    public void close() {
        server.close();
        close(identity);
    }

    private static void close(TlsIdentity identity) {
        if (identity != null) {
            identity.close();
        }
    }
}
