package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class UsersTest {
    private static final Presented NOTHING = new Presented(null, null);
    private static final int THREADS = 8;
    private static final AccessSettings LIMITED = parsed("rbmq.users = [{name = u, token = x, max-connections = 5}]");

    private final RefusalCounts refusals = new RefusalCounts();

    private Users users(String settings) {
        return users(parsed(settings));
    }

    private Users users(AccessSettings settings) {
        return new Users(settings, refusals);
    }

    private static AccessSettings parsed(String settings) {
        return AccessSettings.from(ConfigFactory.parseString(settings)
                .withFallback(ConfigFactory.parseResources("reference.conf"))
                .resolve());
    }

    private static Presented token(String token) {
        return new Presented(TokenHash.of(token), null);
    }

    private static CompletableFuture<Void> connection() {
        return new CompletableFuture<>();
    }

    @Test
    void shouldAcceptEveryTokenWithoutUsers() {
        Users users = users("");
        assertThat(users.admit(NOTHING, true, connection())).hasToString("");
        assertThat(users.admit(token("any"), true, connection())).hasToString("");
    }

    @Test
    void shouldNameTheUserOfAToken() {
        Users users = users("rbmq { credentials = [c], users = [{name = u, token = x}, {name = v, token = xy}] }");
        assertThat(users.admit(token("x"), true, connection())).hasToString(" of user \"u\"");
        assertThat(users.admit(token("xy"), true, connection())).hasToString(" of user \"v\"");
        assertThat(users.admit(token("c"), true, connection())).hasToString("");
    }

    @Test
    void shouldNotTreatAClientWithAWrongTokenAsAnonymous() {
        Users users = users("rbmq { users = [{name = u, token = x}], anonymous.subscribe = [a] }");
        assertThat(users.admit(NOTHING, true, connection())).hasToString("");
        assertThatThrownBy(() -> users.admit(token("y"), true, connection()))
                .isInstanceOf(TransportException.class)
                .hasMessage("the token is not valid");
        assertThat(refusals.all()).containsEntry("wrong-token", 1L).containsEntry("no-token", 0L);
    }

    @Test
    void shouldFreeAConnectionOfAUserWhenItEnds() {
        Users users = users("rbmq.users = [{name = u, token = x, max-connections = 1}, {name = v, token = y}]");
        CompletableFuture<Void> first = connection();
        users.admit(token("x"), true, first);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> users.admit(token("x"), true, connection()))
                    .hasMessage("user \"u\" has reached max-connections=1; try again when a connection has ended, or"
                            + " raise the limit in the broker's rbmq.users");
        }
        users.admit(token("y"), true, connection());
        first.completeExceptionally(new IllegalStateException("lost"));
        CompletableFuture<Void> second = connection();
        users.admit(token("x"), true, second);
        assertThatThrownBy(() -> users.admit(token("x"), true, connection())).hasMessageContaining("has reached");
        assertThat(refusals.all()).containsEntry("max-connections", 4L);
    }

    @Test
    void shouldNotExceedTheMaximumWhenManyConnectAtOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            for (int round = 0; round < 500; round++) {
                Users users = users(LIMITED);
                CyclicBarrier start = new CyclicBarrier(THREADS);
                List<Future<Boolean>> attempts = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    attempts.add(threads.submit(() -> isAdmitted(users, start)));
                }
                int admitted = 0;
                for (Future<Boolean> attempt : attempts) {
                    admitted += attempt.get(60, TimeUnit.SECONDS) ? 1 : 0;
                }
                assertThat(admitted).as("round=%d", round).isEqualTo(5);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(refusals.all()).containsEntry("max-connections", 500L * (THREADS - 5));
    }

    private static boolean isAdmitted(Users users, CyclicBarrier start) throws Exception {
        start.await(60, TimeUnit.SECONDS);
        try {
            users.admit(token("x"), true, connection());
            return true;
        } catch (TransportException e) {
            assertThat(e.code()).isEqualTo(TransportException.Code.RESOURCES);
            return false;
        }
    }

    @Test
    void shouldAcceptAnonymousClientsOnlyOnLoopbackUnlessItIsInsecure() {
        String settings = "rbmq { users = [{name = u, token = x}], anonymous.subscribe = [a]";
        Users secure = users(parsed(settings + " }"));
        assertThat(secure.admit(NOTHING, true, connection())).hasToString("");
        assertThatThrownBy(() -> secure.admit(NOTHING, false, connection())).hasMessage("a token is required");
        assertThat(secure.admit(token("x"), false, connection())).hasToString(" of user \"u\"");
        assertThat(users(parsed(settings + ", insecure = true }")).admit(NOTHING, false, connection()))
                .hasToString("");
    }

    @Test
    void shouldRefuseAnonymousClientsThatMayDoNothingEvenWithoutUsers() {
        Users users = users("rbmq.anonymous { publish = [], subscribe = [] }");
        assertThatThrownBy(() -> users.admit(NOTHING, true, connection())).hasMessage("a token is required");
        assertThatThrownBy(() -> users.admit(token("x"), true, connection())).hasMessage("the token is not valid");
    }

    @Test
    void shouldRecognizeACertificateRegardlessOfItsSpelling() {
        Users users =
                users("rbmq.users = [{ name = e, certificate = \"cn=edge1, o=Example\" }, { name = u, token = x }]");
        X500Principal edge1 = new X500Principal("CN=edge1,O=Example");
        assertThat(users.admit(new Presented(null, edge1), false, connection())).hasToString(" of user \"e\"");
        assertThat(users.admit(new Presented(TokenHash.of("x"), edge1), false, connection()))
                .hasToString(" of user \"u\"");
        assertThatThrownBy(() -> users.admit(new Presented(TokenHash.of("y"), edge1), false, connection()))
                .hasMessage("the token is not valid");
        assertThatThrownBy(() -> users.admit(NOTHING, true, connection())).hasMessage("a token is required");
        assertThatThrownBy(() -> users.admit(new Presented(null, new X500Principal("CN=edge1")), true, connection()))
                .hasMessage("the certificate \"CN=edge1\" belongs to no user, and there is no token");
    }

    @Test
    void shouldRefuseTheSameCertificateForTwoUsers() {
        assertThatThrownBy(() -> parsed("rbmq.users = [{ name = e, certificate = \"CN=a,O=b\" },"
                        + " { name = f, certificate = \"cn=A, o=B\" }]"))
                .hasMessageEndingWith("certificate: user \"e\" already has this certificate");
    }
}
