package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.security.auth.x500.X500Principal;

/**
 * The users of a broker. Finds the user to whom a token or a certificate belongs, and counts the connections of each
 * user.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class Users {
    private final List<User> users = new ArrayList<>();
    /** Permissions of clients without a token on a loopback address. */
    private final Permissions localAnonymous;
    /** Permissions of clients without a token on other addresses. */
    private final Permissions remoteAnonymous;

    private final RefusalCounts refusals;

    private record User(UserSettings settings, AtomicInteger connectionCount) {
        private boolean enter() {
            int before = connectionCount.getAndUpdate(
                    count -> count < settings.maxConnections() ? count + 1 : settings.maxConnections());
            return before < settings.maxConnections();
        }
    }

    Users(AccessSettings settings, RefusalCounts refusals) {
        settings.users().forEach(user -> users.add(new User(user, new AtomicInteger())));
        this.localAnonymous = settings.anonymous();
        this.remoteAnonymous = settings.insecure() ? settings.anonymous() : Permissions.NONE;
        this.refusals = refusals;
    }

    /** Returns true when the broker has no users, so that no token is valid. */
    boolean isEmpty() {
        return users.isEmpty();
    }

    /**
     * Identifies a client by its token or, if it presents none, by its certificate.
     *
     * @param certificate subject of the certificate that the transport has checked; null for none
     * @param isLocal true when the client has connected to a loopback address
     * @param closed completes when the client's connection has ended
     * @throws TransportException with code REFUSED when the client is not accepted, or RESOURCES when its user has too
     *     many connections at the moment
     */
    Principal admit(byte[] token, X500Principal certificate, boolean isLocal, CompletableFuture<Void> closed) {
        User certified = token.length == 0 && certificate != null ? find(certificate) : null;
        if (certified != null) {
            return enter(certified, closed);
        }
        Permissions anonymous = isLocal ? localAnonymous : remoteAnonymous;
        if (anonymous.grantAnything() && (users.isEmpty() || token.length == 0)) {
            return Principal.anonymous(anonymous, refusals);
        }
        if (token.length == 0) {
            throw refusal(
                    RefusalCounts.Reason.NO_TOKEN,
                    certificate == null
                            ? "a token is required"
                            : "the certificate \"" + certificate + "\" belongs to no user, and there is no token");
        }
        User user = find(token);
        if (user == null) {
            throw refusal(RefusalCounts.Reason.WRONG_TOKEN, "the token is not valid");
        }
        return enter(user, closed);
    }

    private Principal enter(User user, CompletableFuture<Void> closed) {
        if (!user.enter()) {
            refusals.count(RefusalCounts.Reason.MAX_CONNECTIONS);
            throw new TransportException(
                    TransportException.Code.RESOURCES,
                    user.settings.describe() + " has reached max-connections=" + user.settings.maxConnections()
                            + "; try again when a connection has ended, or raise the limit in the broker's rbmq.users");
        }
        closed.whenComplete((nothing, failure) -> user.connectionCount.decrementAndGet());
        return Principal.of(user.settings, refusals);
    }

    private TransportException refusal(RefusalCounts.Reason reason, String text) {
        refusals.count(reason);
        return new TransportException(TransportException.Code.REFUSED, text);
    }

    /** Returns the settings of the user with a token, or null if there is none. */
    UserSettings settingsOf(byte[] token) {
        User user = find(token);
        return user == null ? null : user.settings;
    }

    private User find(X500Principal certificate) {
        return users.stream()
                .filter(user -> certificate.equals(user.settings.certificate()))
                .findFirst()
                .orElse(null);
    }

    /** Compares a token with those of all users, so the time that it takes does not depend on the token. */
    private User find(byte[] token) {
        TokenHash presented = TokenHash.of(token);
        User found = null;
        for (User user : users) {
            if (user.settings.token() != null && user.settings.token().matches(presented)) {
                found = user;
            }
        }
        return found;
    }
}
