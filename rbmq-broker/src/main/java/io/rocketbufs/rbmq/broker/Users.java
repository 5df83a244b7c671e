package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.PlainText;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The users of a broker. This object finds the user to whom a token or a certificate belongs, and counts the
 * connections of each user. After a reload, the object that replaces this one continues the counts.
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
            // The count exceeds the maximum if a reload has lowered the maximum.
            int before = connectionCount.getAndUpdate(count -> count < settings.maxConnections() ? count + 1 : count);
            return before < settings.maxConnections();
        }
    }

    /** Creates the users for a broker that has no clients yet. */
    Users(AccessSettings settings, RefusalCounts refusals) {
        this(settings, refusals, List.of());
    }

    private Users(AccessSettings settings, RefusalCounts refusals, List<User> former) {
        settings.users().forEach(user -> users.add(new User(user, counter(user, former))));
        this.localAnonymous = settings.anonymous();
        this.remoteAnonymous = settings.insecure() ? settings.anonymous() : Permissions.NONE;
        this.refusals = refusals;
    }

    /** Returns the users of changed settings. Users that already exist keep their connection counts. */
    Users changedTo(AccessSettings settings) {
        return new Users(settings, refusals, users);
    }

    private static AtomicInteger counter(UserSettings user, List<User> former) {
        return former.stream()
                .filter(other -> user.isSame(other.settings))
                .findFirst()
                .map(User::connectionCount)
                .orElseGet(AtomicInteger::new);
    }

    /** Returns true if the broker has no users. */
    boolean isEmpty() {
        return users.isEmpty();
    }

    /**
     * Identifies a client by its token or, if it presents no token, by its certificate, and counts its connection.
     *
     * @param isLocal true if the client has connected to a loopback address
     * @param closed completes when the client's connection has ended
     * @throws TransportException with code REFUSED when the client is not accepted, or RESOURCES when its user
     *     currently has too many connections
     */
    Grant admit(Presented presented, boolean isLocal, CompletableFuture<Void> closed) {
        Grant grant = grantOf(presented, isLocal);
        if (!grant.isAccepted()) {
            refusals.count(grant.refusal());
            throw new TransportException(TransportException.Code.REFUSED, describe(grant.refusal(), presented));
        }
        if (grant.user() != null) {
            enter(find(presented), closed);
        }
        return grant;
    }

    private static String describe(RefusalCounts.Reason refusal, Presented presented) {
        if (refusal == RefusalCounts.Reason.WRONG_TOKEN) {
            return "the token is not valid";
        }
        return presented.certificate() == null
                ? "a token is required"
                : "the certificate " + PlainText.quoted(presented.certificate().toString())
                        + " belongs to no user, and there is no token";
    }

    private void enter(User user, CompletableFuture<Void> closed) {
        if (!user.enter()) {
            refusals.count(RefusalCounts.Reason.MAX_CONNECTIONS);
            throw new TransportException(
                    TransportException.Code.RESOURCES,
                    user.settings.describe() + " has reached max-connections=" + user.settings.maxConnections()
                            + "; try again when a connection has ended, or raise the limit in the broker's rbmq.users");
        }
        closed.whenComplete((nothing, failure) -> user.connectionCount.decrementAndGet());
    }

    /**
     * Returns the grant of a client with the given credentials.
     *
     * @param isLocal true if the client has connected to a loopback address
     */
    Grant grantOf(Presented presented, boolean isLocal) {
        Permissions anonymous = isLocal ? localAnonymous : remoteAnonymous;
        boolean hasToken = presented.token() != null;
        User user = find(presented);
        if (anonymous.grantAnything() && (hasToken ? users.isEmpty() : user == null)) {
            return Grant.anonymous(anonymous);
        }
        if (user != null) {
            return Grant.of(user.settings);
        }
        return Grant.refused(hasToken ? RefusalCounts.Reason.WRONG_TOKEN : RefusalCounts.Reason.NO_TOKEN);
    }

    /** Returns the settings of the user with the given token, or null if there is no such user. */
    UserSettings settingsOf(byte[] token) {
        User user = find(TokenHash.of(token));
        return user == null ? null : user.settings;
    }

    /** Returns true if there is a user with the given name. */
    boolean hasName(String name) {
        return users.stream().anyMatch(user -> name.equals(user.settings.name()));
    }

    private User find(Presented presented) {
        if (presented.token() != null) {
            return find(presented.token());
        }
        return users.stream()
                .filter(user -> presented.certificate() != null
                        && presented.certificate().equals(user.settings.certificate()))
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the user with the given token. Compares the token with those of all users, so that the time does not
     * depend on the token.
     */
    private User find(TokenHash presented) {
        User found = null;
        for (User user : users) {
            if (user.settings.token() != null && user.settings.token().matches(presented)) {
                found = user;
            }
        }
        return found;
    }
}
