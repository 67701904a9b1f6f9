#!/usr/bin/env python3
"""Applies each mutant of mutants.py to a copy of the package and says which tests notice."""
import resource, re, shutil, subprocess, sys, os, time
sys.path.insert(0, 'SCRATCH')
from mutants import MUTANTS
SRC='SCRATCH'; COPY='SCRATCH'
first=int(sys.argv[1]); only=sys.argv[2:]; exact='--exact' in only; only=[o for o in only if o!='--exact']
if not os.path.exists(COPY): shutil.copytree(SRC, COPY, symlinks=True)
subprocess.run(['rsync','-a','--delete','--exclude=.build','--exclude=.git',SRC+'/',COPY+'/'],check=True) if shutil.which('rsync') else [shutil.rmtree(COPY+'/'+d, True) or shutil.copytree(SRC+'/'+d, COPY+'/'+d) for d in ('Sources','Tests')]
FILTER={'Ring.swift':'Ring|ReadyQueue','ReadyQueue.swift':'ReadyQueue|Misuse','ReadyQueue+Barriers.swift':'ReadyQueue','DeadlineQueue.swift':'Deadline','ViewQueue.swift':'ViewQueue|PoolOrder|Fairness','PoolOrder.swift':'PoolOrder|Fairness','PriorityBand.swift':'Band'}
def test(f):
    b=subprocess.run(['swift','build','--build-tests'],cwd=COPY,capture_output=True,text=True)
    if b.returncode: return 'BUILD', re.findall(r'error: .*',b.stdout+b.stderr)[:2]
    # A hang in a test is a catch too.
    def limit(): resource.setrlimit(resource.RLIMIT_CPU,(60,60))
    p=subprocess.Popen(['.build/debug/UVDispatchPackageTests.xctest','--testing-library','swift-testing','--filter',FILTER[os.path.basename(f)]],cwd=COPY,stdout=subprocess.PIPE,stderr=subprocess.STDOUT,text=True,preexec_fn=limit,env=dict(os.environ,NO_COLOR='1',TERM='dumb'))
    out,_=p.communicate(); hang=-p.returncode in (24,9)
    failed=[]
    for m in re.finditer(r'✘ Test (?:"(.*?)"|(\w+)\(\))(?: with .*?)? (?:failed|recorded)',out):
        n=m.group(1) or m.group(2)
        if n not in failed: failed.append(n)
    crash=re.findall(r'(?:Fatal error|fatalError|Illegal|precondition|Assertion failed).*',out)
    started=set(re.findall(r'◇ Test "(.*?)" started',out)); ended=set(re.findall(r'[✔✘] Test "(.*?)"(?: with .*?)? (?:passed|failed)',out))
    state='caught' if failed else ('hang' if hang else ('crash' if p.returncode<0 else ('passed' if 'passed after' in out and p.returncode==0 else 'crash')))
    running=[]
    if state in('hang','crash'):
        tr=re.findall(r'TaskDispatchTests\.?\S* at \S*/(\w+Tests)\.swift:(\d+)',out); 
        part=out.split(' crashed:')[1].split('\nThread ')[0] if ' crashed:' in out else out
        fn=re.findall(r'(\w+Tests)\.(\w+)\(',part) or re.findall(r'closure #\d in (\w+Tests)\.(\w+)',part)
        running=sorted({f'{a}.{b}' for a,b in fn}) or sorted(started-ended)
    if state in ('hang','crash'):
        p=subprocess.Popen(['.build/debug/UVDispatchPackageTests.xctest','--testing-library','swift-testing','--no-parallel','--filter',FILTER[os.path.basename(f)]],cwd=COPY,stdout=subprocess.PIPE,stderr=subprocess.STDOUT,text=True,preexec_fn=limit,env=dict(os.environ,NO_COLOR='1',TERM='dumb'))
        out,_=p.communicate()
        running=re.findall(r'◇ Test "(.*?)" started',out)[-1:]
    if hang and failed: state='caught+hang'
    return state,(failed or running),crash[:1]
res=[]
for i,m in enumerate(MUTANTS):
    name,f,old,new=m[:4]
    if i < first: continue
    if only and not any((o==name if exact else o in name) for o in only): continue
    path=COPY+'/'+f; s=open(path).read()
    if s.count(old)!=1: print('!!',name,s.count(old),flush=True); continue
    open(path,'w').write(s.replace(old,new))
    t=time.time(); r=test(f); open(path,'w').write(s)
    print(f'{i}\t{name}\t{os.path.basename(f)}\t{r[0]}\t{" | ".join(r[1][:8])}\t{r[2:] and r[2]}\t{time.time()-t:.0f}s',flush=True)
