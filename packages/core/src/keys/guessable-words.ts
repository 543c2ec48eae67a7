const years = Array.from({ length: 200 }, (_, index) => 1900 + index).join(' ')

const split = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/**
 * Lowercase words that occur in guessable secrets, in three lists: words of nearly every placeholder; words of other placeholders
 * and of instructions; and years, frequent passwords and frequent English words (from the lists of zxcvbn, MIT licence).
 */
export const guessableWords = [
  split(`
  secret key jwt token password change this your my the in for and a is not use to production development super secure very
  long default example test with random string signing
  `),
  split(`
  secrets keys tokens auth authentication authorization pass changeme changed replace that our an or of it be do don dont used
  using value values sample top secured security unsafe insecure safe strong unique private public access refresh session sign
  sig signature signer hash hmac hs256 hs384 hs512 sha256 sha512 rsa base64 encoded hex bit bits byte bytes char chars
  character characters at least minimum min max length must should shall can prod dev develop local localhost testing tests
  staging stage demo app application api server service backend frontend web website site user users admin root system project
  company env environment hotel booking shop store blog https http www com org io variable config configuration setting settings here there please before after generate generated
  insert put enter paste set get real actual only never ever always commit share github git hub code source spring boot django
  laravel node express nest next react flask rails java docker database db mysql postgres mongo redis cookie encrypt
  encryption crypto openssl rand 256 512 128 32 64 2023 2024 2025 2026 2027 123 1234 12345 me one two more than no yes new old
  some any place goes tell anybody someone nobody complex create instead outside inside keep which what when will now again
  hidden purpose purposes something somewhere own about by on from all you are we algorithm hs alg typ generation
  nodejs js acme corp v1 v2 v3 v4 https:// http:// :// mein meine geheim geheimes passwort fuer
  `),
  split(`
  123456 12345678 qwerty 123456789 1234567 dragon 123123 baseball abc123 football monkey letmein shadow master mustang
  qwertyuiop 123321 1234567890 superman 654321 1qaz2wsx qazwsx jordan 123qwe killer trustno1 hunter harley zxcvbnm asdfgh
  buster batman soccer tigger charlie sunshine iloveyou ranger hockey computer starwars pepper klaster 112233 zxcvbn freedom
  princess maggie ginger 131313 love cheese 159753 summer chelsea dallas matrix yankees corvette austin thunder merlin diamond
  hello hammer 1234qwer silver gfhjkm internet samantha golfer scooter orange q1w2e3r4t5 maverick sparky phoenix mickey bigdog
  snoopy guitar whatever chicken camaro mercedes peanut ferrari falcon cowboy welcome samsung steelers smokey dakota arsenal
  boomer eagles tigers marina nascar gateway yellow porsche monster spider diablo hannah bulldog junior london purple compaq
  lakers iceman qwer1234 cowboys money banana ncc1701 boston tennis q1w2e3r4 coffee scooby 123654 nikita yamaha mother barney
  brandy chester oliver player forever rangers midnight chicago bigdaddy redsox angel badboy fender jasper rabbit natasha
  marine wizard marlboro raiders prince casper fishing flower jasmine iwantu adidas winter winner gandalf password1 ghbdtn
  1q2w3e4r golden cocacola jordan23 winston madison angels panther spanky sophie asdfasdf thx1138 toyota tiger canada 12344321
  8675309 muffin liverpoo apples qwerty123 passw0rd abcd1234 pokemon 123abc slipknot qazxsw 123456a scorpion qwaszx startrek
  rainbow asdfghjkl razz newyork redskins gemini cameron qazwsxedc florida liverpool turtle sierra viking booger doctor rocket
  159357 dolphins captain bandit jaguar packers pookie peaches 789456 asdf dolphin helpme blue theman maxwell qwertyui maddog
  giants nirvana metallic hotdog rosebud mountain warrior stupid elephant success bond007 alexis lucky scorpio samson q1w2e3
  azerty rush2112 driver freddy 1q2w3e4r5t sydney gators dexter red123 123456q 12345a bubba creative voodoo golf trouble
  america nissan gunner garfield asdfghjk 5150 apollo 1qazxsw2 2112 eminem legend airborne bear beavis apple brooklyn godzilla
  skippy 4815162342 buddy qwert kitten magic shelby beaver phantom asdasd xavier braves darkness blink182 copper platinum
  qweqwe tomcat 01012011 bigboy 102030 animal police online 11223344 voyager lifehack 12qwaszx fish sniper 315475 trinity
  blazer heaven lover snowball loveme bubbles cricket willow donkey topgun nintendo saturn destiny pakistan pumpkin digital
  sergey redwings explorer runner therock guinness lasvegas beatles 789456123 fire cassie christin qwerty1 celtic asdf1234
  andrey broncos 007007 babygirl eclipse fluffy cartman michigan carolina alexande birdie pantera cherry vampire mexico
  buffalo genius montana beer minecraft maximus flyers lovely stalker metallica doggie snickers speedy bronco lol123 paradise
  yankee horses magnum dreams lacrosse ou812 goober enigma qwertyu scotty pimpin surfer poohbear genesis star asd123 qweasdzxc
  racing hello1 hawaii eagle1 viper poopoo einstein 12345q drowssap simple badger alaska action jester drummer 111222 spitfire
  forest maryjane champion diesel svetlana friday hotrod 147258 chevy lucky1 westside google badass tester shorty thumper
  hitman mozart zaq12wsx reddog 010203 lizard a123456 123456789a ruslan eagle 1232323q scarface qwerty12 147852 a12345 buddha
  420420 spirit money1 stargate qwe123 naruto mercury liberty 12345qwert semperfi suzuki popcorn spooky marley scotland kitty
  cherokee vikings simpsons rascal qweasd hummer loveyou michael1 patches russia jupiter penguin passion vfhbyf honda vladimir
  sandman passport raider 123789 infinity assman bulldogs fantasy 1234554321 horney domino budlight disney ironman softball
  brutus redrum bigred mnbvcxz fktrcfylh karina marines digger kawasaki cougar fireman oksana monday justice wildcats tinker
  logitech dancer swordfis avalon everton alexandr motorola patriots madonna ducati colorado connor juventus galore smooth
  freeuser warcraft boogie titanic wolverin elizabet arizona valentin quick brown fox jumps lazy dog consectetur adipiscing
  elit p4ssw0rd qwertz lorem ipsum dolor amet test123 admin123 foo bar baz qux correct horse battery staple keyboard cat
  supersecret placeholder todo fixme invalid dummy null undefined none empty false was his were doc https also has had first
  their its who they her she been other time during into school may years over year most would world city where between later
  three state such then national made known under many university united while part season team these american film second
  born south became states war through being including both north high however people family early history album area them
  series against until since district county name work life group music following number several four called played released
  career league game government house each based day same won station club international town located population general
  college east found age march end september began home church line june river member century band july york january october
  song august best former british party named held village show november took december built another major within along
  members five single due although small left final large include building served president received games death february main
  third children order species park law air published road died book men women army often according education central country
  division english included french community among water play side list times near late form original different center power
  led students german moved court six land council island record million research art established award street military
  television given region support western non political point cup period business title started various election england role
  produced become program works field total office class written association radio union level championship director few force
  created department founded services married though per open act short society version royal present northern worked
  professional full returned joined story france european currently language social california india days design further round
  australia wrote san control southern railway board popular continued free battle considered video common position living
  half playing recorded red post described average records special modern appeared announced areas rock release elected others
  term opened similar formed route census current schools originally lake developed race himself forces addition information
  know have just but well right out going like yeah want think him how got did why see come good really look okay back mean
  hey could because say take way little make need gonna too sure sorry let thing maybe down man anything said much even off
  doing thank give thought help talk god still wait find nothing things call told great better night away believe feel
  everything fine last does around stop guy listen wanted guys huh those big lot happened thanks trying kind wrong talking
  guess care bad mom remember getting together dad leave understand actually hear baby nice father else stay done course might
  mind every enough try hell came whole yourself idea ask coming looking woman room knew tonight son hope went hmm happy
  pretty saw girl sir friend already saying job problem minute thinking heard honey matter myself exactly having probably
  happen hurt boy dead gotta alone excuse start kill hard today car ready without wants hold wanna yet seen deal once gone
  morning supposed friends head stuff worry live truth face forget true cause soon knows telling wife chance run move anyone
  person bye somebody heart miss making meet anyway phone reason damn lost looks bring case turn wish tomorrow kids trust
  check anymore working makes taking means brother hate ago says beautiful gave fact crazy sit afraid important rest fun kid
  word watch glad everyone sister minutes everybody couple whoa either mrs feeling daughter wow gets asked break promise door
  close hand ${years}
  `),
] as const
